public import EventModel
internal import JSON

/// One push to one device. The initializer rejects malformed pushes, which Apple would answer with 400 or 413. An
/// immutable class, so that it can be passed on without copying.
public final class APNsRequest: Sendable {
    public let id: APNsID
    /// Hexadecimal, lower case. Only Apple checks its length.
    public let deviceToken: String
    public let bundleID: String
    public let pushType: APNsPushType
    public let topic: String
    public let priority: APNsPriority
    public let expiration: APNsExpiration
    /// A later push with the same id replaces this one on the device.
    public let collapseID: String?
    /// The JSON body.
    public let payload: [UInt8]
    /// No attempt starts after this time, and the client no longer waits for an answer then.
    public let deadline: Timestamp
    /// When the app last reported this device token. Determines whether a 410 concerns the current registration.
    public let registeredAt: Timestamp?

    public init(
        id: APNsID = .random(),
        deviceToken: String,
        bundleID: String,
        pushType: APNsPushType,
        priority: APNsPriority,
        expiration: APNsExpiration = .unspecified,
        collapseID: String? = nil,
        payload: [UInt8],
        deadline: Timestamp,
        registeredAt: Timestamp? = nil
    ) throws(APNsRequestFault) {
        self.id = id
        self.deviceToken = deviceToken.lowercased()
        self.bundleID = bundleID
        self.pushType = pushType
        topic = pushType.topic(bundleID: bundleID)
        self.priority = priority
        self.expiration = expiration
        self.collapseID = collapseID
        self.payload = payload
        self.deadline = deadline
        self.registeredAt = registeredAt
        if let fault = fault { throw fault }
    }

    /// The bytes that the push takes in queues: its strings and payload, and about as much again for bookkeeping.
    var queuedBytes: Int {
        512 + deviceToken.utf8.count + bundleID.utf8.count + (collapseID?.utf8.count ?? 0) + payload.count
    }

    private var fault: APNsRequestFault? {
        let digits = deviceToken.utf8
        let isHexadecimal = digits.allSatisfy { character in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(character)
        }
        if digits.isEmpty || digits.count % 2 != 0 || digits.count > 1024 || !isHexadecimal { return .deviceToken }
        let isTopic = bundleID.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        if bundleID.isEmpty || bundleID.utf8.count > 255 || !isTopic { return .topic }
        if pushType == .background, priority == .immediate { return .priority }
        if case .at(let seconds) = expiration, seconds <= 0 { return .expiration }
        if let collapseID {
            let isVisible = collapseID.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            if collapseID.isEmpty || collapseID.utf8.count > 64 || !isVisible { return .collapseID }
        }
        if payload.count > pushType.payloadLimit { return .payloadTooLarge(limit: pushType.payloadLimit) }
        guard let body = try? JSONValue.parse(payload), body["aps"]?.isObject == true else { return .payload }
        return nil
    }
}

/// The `apns-expiration` header.
public enum APNsExpiration: Sendable, Equatable {
    /// No header: Apple keeps the push as long as it chooses, at most 30 days.
    case unspecified
    /// Apple makes one attempt and does not store the push.
    case none
    /// Seconds since 1970; must be positive.
    case at(Int64)
}

/// Why a push is malformed. Apple would count such a push as an error of this server.
public enum APNsRequestFault: Error, Sendable, Equatable, CustomStringConvertible {
    case deviceToken
    case topic
    /// A background push must not request immediate delivery.
    case priority
    case expiration
    /// At most 64 bytes of visible ASCII.
    case collapseID
    /// Not a JSON object that contains an `aps` object.
    case payload
    case payloadTooLarge(limit: Int)

    public var description: String {
        switch self {
        case .deviceToken: "the device token is not hexadecimal"
        case .topic: "the bundle id is empty, too long or not ASCII"
        case .priority: "a background push may not have priority 10"
        case .expiration: "the expiration is not a time"
        case .collapseID: "the collapse id is empty, above 64 bytes or not ASCII"
        case .payload: "the payload is not a JSON object with \"aps\""
        case .payloadTooLarge(let limit): "the payload is larger than \(limit) bytes"
        }
    }
}

extension APNsRequest: CustomStringConvertible {
    /// Omits device token and payload, so that it can be logged.
    public var description: String { "push \(id) (\(pushType.rawValue), \(payload.count) bytes)" }
}

public import EventModel
internal import HTTPClient
internal import JSON

/// A push service's answer to one push.
public struct PushAnswer: Sendable, Equatable {
    public let status: Int
    /// The service's reason for a refusal. From Apple its reason word, at most 64 bytes; from other services at most
    /// 200 bytes of foreign text without control characters. `nil` if missing or unreadable.
    public let reasonText: String?
    /// When Apple found that the device token is no longer valid. Only Apple sends it, with status 410.
    public let timestamp: Timestamp?
    /// From Apple.
    public let apnsID: String?
    /// The key for the delivery log. Only Apple's development environment sends it.
    public let uniqueID: String?
    /// The URL of a message to a browser. Sent with status 201.
    public let location: String?
    public let retryAfterSeconds: Int?

    public var reason: APNsReason? { reasonText.flatMap(APNsReason.init(rawValue:)) }

    public init(
        status: Int,
        reason: String? = nil,
        timestamp: Timestamp? = nil,
        apnsID: String? = nil,
        uniqueID: String? = nil,
        location: String? = nil,
        retryAfterSeconds: Int? = nil
    ) {
        self.status = status
        reasonText = reason
        self.timestamp = timestamp
        self.apnsID = apnsID
        self.uniqueID = uniqueID
        self.location = location
        self.retryAfterSeconds = retryAfterSeconds
    }

    init(apns response: H2Response) {
        let body = response.status == 200 ? nil : try? JSONValue.parse(response.body, maxDepth: 8)
        // In milliseconds. A value outside the range of Timestamp is ignored.
        let microseconds = body?["timestamp"]?.integer?.multipliedReportingOverflow(by: 1000)
        self.init(
            status: response.status,
            reason: body?["reason"]?.string.flatMap { $0.utf8.count <= 64 ? $0 : nil },
            timestamp: microseconds.flatMap { $0.overflow ? nil : Timestamp(microseconds: $0.partialValue) },
            apnsID: response["apns-id"],
            uniqueID: response["apns-unique-id"],
            retryAfterSeconds: response.retryAfter
        )
    }

    init(webPush response: H2Response) {
        self.init(
            status: response.status,
            reason: (200..<300).contains(response.status) ? nil : PushAnswer.reason(response.body),
            location: response["location"].flatMap { $0.utf8.count <= WebPushEndpoint.lengthLimit ? $0 : nil },
            retryAfterSeconds: response.retryAfter
        )
    }

    /// Returns the JSON member `reason`, `message` or `error`, or else the beginning of the text.
    private static func reason(_ body: [UInt8]) -> String? {
        var text = String(decoding: body.prefix(200), as: UTF8.self)
        if let value = try? JSONValue.parse(body, maxDepth: 8), value.isObject {
            let members = [value["reason"], value["message"], value["error"], value["error"]?["message"]]
            guard let named = members.compactMap({ $0?.string }).first else { return nil }
            text = String(decoding: named.utf8.prefix(200), as: UTF8.self)
        }
        let visible = String(
            text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }.map(Character.init)
        )
        return visible.isEmpty ? nil : visible
    }
}

extension H2Response {
    /// Ignores a date, which HTTP also allows. The default wait for the status then applies.
    fileprivate var retryAfter: Int? { self["retry-after"].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil } }
}

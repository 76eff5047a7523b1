public import EventModel
internal import Signing

/// One push to one browser, encrypted in the initializer, which rejects malformed pushes. An immutable class, so that
/// it can be passed on without copying. https://www.rfc-editor.org/rfc/rfc8030
public final class WebPushRequest: Sendable {
    public let subscription: WebPushSubscription
    public let urgency: WebPushUrgency
    /// Seconds for which the service keeps the push for a browser that is offline; 0 means one attempt.
    public let timeToLive: Int
    /// A later push with the same topic replaces this one while it waits.
    public let topic: String?
    /// No attempt starts after this time, and the client no longer waits for an answer then.
    public let deadline: Timestamp
    /// The same for each attempt.
    let body: [UInt8]

    /// Maximum plain payload. Every service accepts 4096 bytes (RFC 8030 section 7.2), including encryption.
    public static let payloadLimit = 4096 - MessageEncryption.overhead
    /// Services shorten longer ones. Four weeks is the longest common limit.
    public static let timeToLiveLimit = 28 * 24 * 3600

    /// - Parameters:
    ///   - payload: the data for the page's service worker; may be empty.
    ///   - topic: at most 32 characters of base64url's alphabet; see `WebPushTopic`.
    public init(
        subscription: WebPushSubscription,
        payload: [UInt8],
        urgency: WebPushUrgency = .normal,
        timeToLive: Int,
        topic: String? = nil,
        deadline: Timestamp
    ) throws(WebPushRequestFault) {
        guard payload.count <= WebPushRequest.payloadLimit else {
            throw .payloadTooLarge(limit: WebPushRequest.payloadLimit)
        }
        guard (0...WebPushRequest.timeToLiveLimit).contains(timeToLive) else { throw .timeToLive }
        if let topic, !WebPushTopic.isValid(topic) { throw .topic }
        self.subscription = subscription
        self.urgency = urgency
        self.timeToLive = timeToLive
        self.topic = topic
        self.deadline = deadline
        do {
            body = try MessageEncryption.encrypt(payload, to: subscription.publicKey, secret: subscription.secret)
        } catch {
            throw .encryption(error.description)
        }
    }

    /// The bytes that the push takes in queues: its strings and body, and about as much again for bookkeeping.
    var queuedBytes: Int { 1024 + subscription.endpoint.utf8.count + body.count }
}

/// The `Urgency` header (RFC 8030 section 5.3). The queue sends more urgent ones first.
public enum WebPushUrgency: String, Sendable, CaseIterable, Comparable {
    /// Deliver on power and Wi-Fi.
    case veryLow = "very-low"
    /// Deliver on power or Wi-Fi.
    case low
    case normal
    /// Deliver even on a low battery.
    case high

    var rank: Int { WebPushUrgency.allCases.firstIndex(of: self) ?? 0 }

    public static func < (left: WebPushUrgency, right: WebPushUrgency) -> Bool { left.rank < right.rank }
}

/// The `Topic` header (RFC 8030 section 5.4).
public enum WebPushTopic {
    /// Derives a topic from any text, such as an APNs collapse id. Equal texts have equal topics. The service sees the
    /// topic but cannot derive the text from it.
    public static func of(_ text: String) -> String {
        Base64URL.encode(Digest.sha256(Array(text.utf8)).prefix(24))
    }

    static func isValid(_ topic: String) -> Bool {
        (1...32).contains(topic.utf8.count) && topic.utf8.allSatisfy(alphabet.contains)
    }

    private static let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}

/// Why a push is malformed. Safe to print.
public enum WebPushRequestFault: Error, Sendable, Equatable, CustomStringConvertible {
    case payloadTooLarge(limit: Int)
    case timeToLive
    case topic
    /// libcrypto failed.
    case encryption(String)

    public var description: String {
        switch self {
        case .payloadTooLarge(let limit): "the payload is larger than \(limit) bytes"
        case .timeToLive: "the time to live is not 0 to \(WebPushRequest.timeToLiveLimit) seconds"
        case .topic: "the topic is empty, above 32 characters or not base64url"
        case .encryption(let cause): "the payload cannot be encrypted: \(cause)"
        }
    }
}

extension WebPushRequest: CustomStringConvertible {
    public var description: String { "web push to \(subscription.origin) (\(urgency.rawValue), \(body.count) bytes)" }
}

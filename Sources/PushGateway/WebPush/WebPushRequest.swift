public import EventModel
internal import Signing

/// One push to one browser, encrypted when it is made. Whatever a push service would refuse for its form is refused
/// here. A class because it goes from hand to hand and never changes. https://www.rfc-editor.org/rfc/rfc8030
public final class WebPushRequest: Sendable {
    public let subscription: WebPushSubscription
    public let urgency: WebPushUrgency
    /// Seconds for which the service keeps the push for a browser that is away; 0: one attempt.
    public let timeToLive: Int
    /// A later push with the same one replaces this while it waits.
    public let topic: String?
    /// No attempt begins after it, and an answer that is still missing then is given up.
    public let deadline: Timestamp
    /// The same at each attempt.
    let body: [UInt8]

    /// The largest plain payload: what each service takes are 4096 bytes (RFC 8030 section 7.2), encryption included.
    public static let payloadLimit = 4096 - MessageEncryption.overhead
    /// Services cut longer ones; four weeks is the longest that is common.
    public static let timeToLiveLimit = 28 * 24 * 3600

    /// - Parameters:
    ///   - payload: what the page's service worker gets; empty is allowed.
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

    /// What the push costs in queues: its strings and body, and about as much again for the bookkeeping.
    var queuedBytes: Int { 1024 + subscription.endpoint.utf8.count + body.count }
}

/// The `Urgency` header (RFC 8030 section 5.3). The queue sends more urgent ones first.
public enum WebPushUrgency: String, Sendable, CaseIterable, Comparable {
    /// On power and Wi-Fi.
    case veryLow = "very-low"
    /// On power or Wi-Fi.
    case low
    case normal
    /// Also on a low battery.
    case high

    var rank: Int { WebPushUrgency.allCases.firstIndex(of: self) ?? 0 }

    public static func < (left: WebPushUrgency, right: WebPushUrgency) -> Bool { left.rank < right.rank }
}

/// The `Topic` header (RFC 8030 section 5.4).
public enum WebPushTopic {
    /// One for any text, such as an APNs collapse id: equal texts have equal topics, and the service, which sees the
    /// topic, learns nothing else.
    public static func of(_ text: String) -> String {
        Base64URL.encode(Digest.sha256(Array(text.utf8)).prefix(24))
    }

    static func isValid(_ topic: String) -> Bool {
        (1...32).contains(topic.utf8.count) && topic.utf8.allSatisfy(alphabet.contains)
    }

    private static let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}

/// What is wrong with a push. Safe to print.
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

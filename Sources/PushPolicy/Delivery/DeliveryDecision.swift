public import EventModel

/// What becomes of one notice on one device.
public enum DeliveryDecision: Sendable, Equatable {
    case send(Delivery)
    /// Ask again then; the answer may be another.
    case wait(until: Timestamp, DeliveryReason)
    /// To be counted in the device's next digest, which is due then.
    case digest(at: Timestamp, DeliveryReason)
    /// For good.
    case suppress(DeliveryReason)

    public var reason: DeliveryReason {
        switch self {
        case .send(let delivery): delivery.reason
        case .wait(_, let reason), .digest(_, let reason), .suppress(let reason): reason
        }
    }
}

/// How a notice is sent.
public struct Delivery: Sendable, Equatable {
    public var level: NoticeLevel
    public var hasSound: Bool
    /// Apple's: 10 at once, 5 when it suits the device.
    public var priority: Int
    public var expiresAt: Timestamp
    public var collapseID: String
    public var threadID: String
    public var relevance: Double
    public var privacy: PrivacyMode
    /// What is left of the device's budget afterwards; to be kept for the next decision.
    public var budget: DeliveryBudget
    public var reason: DeliveryReason
}

/// Why: a stable code for programs, and a sentence for people. No content is in either.
public struct DeliveryReason: Sendable, Equatable {
    public typealias Code = PushCode

    public var code: Code
    public var sentence: String

    /// - Parameter sentence: where it says more than the code's own.
    public init(_ code: Code, _ sentence: String? = nil) {
        self.code = code
        self.sentence = sentence ?? code.sentence
    }
}

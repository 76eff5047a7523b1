internal import EventModel

/// What becomes of one notice on one device.
enum DeliveryDecision: Sendable, Equatable {
    case send(Delivery)
    /// Ask again then; the answer may be another.
    case wait(until: Timestamp, DeliveryReason)
    /// To be counted in the device's next digest, which is due then.
    case digest(at: Timestamp, DeliveryReason)
    /// For good.
    case suppress(DeliveryReason)

    var reason: DeliveryReason {
        switch self {
        case .send(let delivery): delivery.reason
        case .wait(_, let reason), .digest(_, let reason), .suppress(let reason): reason
        }
    }
}

/// How a notice is sent.
struct Delivery: Sendable, Equatable {
    var level: NotificationLevel
    var hasSound: Bool
    /// Apple's: 10 at once, 5 when it suits the device.
    var priority: Int
    var expiresAt: Timestamp
    var collapseID: String
    var threadID: String
    var relevance: Double
    var privacy: PrivacyMode
    /// What is left of the device's budget afterwards; to be kept for the next decision.
    var budget: DeliveryBudget
    var reason: DeliveryReason
}

/// Why: a stable code for programs, and a sentence for people. No content is in either.
struct DeliveryReason: Sendable, Equatable {
    typealias Code = PushCode

    var code: Code
    var sentence: String

    /// - Parameter sentence: where it says more than the code's own.
    init(_ code: Code, _ sentence: String? = nil) {
        self.code = code
        self.sentence = sentence ?? code.sentence
    }
}

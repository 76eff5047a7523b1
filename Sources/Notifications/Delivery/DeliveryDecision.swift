internal import EventModel

/// The decision on one notice for one device.
enum DeliveryDecision: Sendable, Equatable {
    case send(Delivery)
    /// Ask again at this time. The answer may differ.
    case wait(until: Timestamp, DeliveryReason)
    /// Count the notice in the device's next digest, which is due at this time.
    case digest(at: Timestamp, DeliveryReason)
    /// Never send it.
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
    /// Apple's priority: 10 sends immediately, 5 when it is convenient for the device.
    var priority: Int
    var expiresAt: Timestamp
    var collapseID: String
    var threadID: String
    var relevance: Double
    var privacy: PrivacyMode
    /// The device's budget after this delivery; store it for the next decision.
    var budget: DeliveryBudget
    var reason: DeliveryReason
}

/// The reason: a stable code for programs, and a sentence for people. Neither contains content.
struct DeliveryReason: Sendable, Equatable {
    typealias Code = PushCode

    var code: Code
    var sentence: String

    /// - Parameter sentence: replaces the code's own sentence.
    init(_ code: Code, _ sentence: String? = nil) {
        self.code = code
        self.sentence = sentence ?? code.sentence
    }
}

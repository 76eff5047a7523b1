/// What a push is about.
enum NotificationKind: String, Sendable, Hashable, CaseIterable {
    case permission
    case question
    case finished
    case longTool = "long_tool"
    case error
    case sessionStarted = "session_started"
    case sessionEnded = "session_ended"
    case costThreshold = "cost_threshold"
    /// Replaces a prompt's notification in silence once the prompt was answered elsewhere.
    case resolved
    /// Stands for what the budget held back.
    case digest

    /// A session waits for a person, so the notice can be withdrawn and is told again where nobody looked.
    var isPrompt: Bool { self == .permission || self == .question }

    /// What preferences can switch on and off.
    static let configurable: [NotificationKind] = [
        .permission, .question, .finished, .longTool, .error, .sessionStarted, .sessionEnded, .costThreshold,
    ]
}

/// How much a notification may disturb: the `interruption-level` of Apple, in the order of growing disturbance.
enum NotificationLevel: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Listed without sound or light.
    case passive
    case active
    /// Breaks through a Focus that allows it.
    case timeSensitive = "time-sensitive"

    static func < (left: NotificationLevel, right: NotificationLevel) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .passive: 0
        case .active: 1
        case .timeSensitive: 2
        }
    }
}

extension NotificationKind {
    /// Whether it is told where nobody has said otherwise.
    var isOnByDefault: Bool {
        switch self {
        case .permission, .question, .finished, .error, .costThreshold, .resolved, .digest: true
        case .longTool, .sessionStarted, .sessionEnded: false
        }
    }

    var defaultLevel: NotificationLevel {
        switch self {
        case .permission: .timeSensitive
        case .question, .finished, .error: .active
        case .longTool, .sessionStarted, .sessionEnded, .costThreshold, .resolved, .digest: .passive
        }
    }

    /// Seconds after which it says nothing of use any more.
    var lifetimeSeconds: Double {
        switch self {
        case .permission, .resolved, .sessionStarted, .sessionEnded: 600
        case .question, .digest: 3600
        case .finished: 4 * 3600
        case .longTool: 1800
        case .error: 2 * 3600
        case .costThreshold: 12 * 3600
        }
    }

    /// The place among an app's notifications, 0 to 1.
    var relevance: Double {
        switch self {
        case .permission: 1
        case .error: 0.8
        case .question: 0.7
        case .finished: 0.4
        case .costThreshold: 0.3
        case .longTool, .digest: 0.2
        case .sessionStarted, .sessionEnded, .resolved: 0.1
        }
    }
}

extension Notification {
    /// Where no preference says otherwise. What only the account's owner can put right is pressing.
    var defaultLevel: NotificationLevel {
        let pressing = [
            "authentication_failed", "billing_error", "oauth_org_not_allowed", "account_on_hold",
            "verification_required", "cloud_credential_error",
        ]
        if kind == .error, pressing.contains(details.reason ?? "") { return .timeSensitive }
        return kind.defaultLevel
    }
}

/// The subject of a push.
enum NotificationKind: String, Sendable, Hashable, CaseIterable {
    case permission
    case question
    case finished
    case longTool = "long_tool"
    case error
    /// An agent repeats a call that fails in the same way.
    case stuck
    case sessionStarted = "session_started"
    case sessionEnded = "session_ended"
    case costThreshold = "cost_threshold"
    /// An MCP server that has answered before fails.
    case serverFailed = "server_failed"
    /// A machine's agent went away while its sessions worked.
    case machineOffline = "machine_offline"
    /// Silently replaces a prompt's notification after the prompt was answered elsewhere.
    case resolved
    /// Summarizes the notices that the budget held back.
    case digest

    /// A session waits for a person. The notice can be withdrawn, and is repeated if the prompt stays unanswered.
    var isPrompt: Bool { self == .permission || self == .question }

    /// The kinds that preferences can enable and disable.
    static let configurable: [NotificationKind] = [
        .permission, .question, .finished, .longTool, .error, .stuck, .sessionStarted, .sessionEnded,
        .costThreshold, .serverFailed, .machineOffline,
    ]
}

/// How much a notification may disturb: Apple's `interruption-level`, in ascending order.
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
    /// Whether it is enabled by default.
    var isOnByDefault: Bool {
        switch self {
        case .longTool, .sessionStarted, .sessionEnded: false
        default: true
        }
    }

    var defaultLevel: NotificationLevel {
        switch self {
        case .permission: .timeSensitive
        case .question, .finished, .error, .stuck, .serverFailed, .machineOffline: .active
        case .longTool, .sessionStarted, .sessionEnded, .costThreshold, .resolved, .digest: .passive
        }
    }

    /// Seconds after which the notice is no longer useful.
    var lifetimeSeconds: Double {
        switch self {
        case .permission, .resolved, .sessionStarted, .sessionEnded: 600
        case .question, .digest: 3600
        case .finished: 4 * 3600
        case .longTool, .stuck: 1800
        case .error, .serverFailed, .machineOffline: 2 * 3600
        case .costThreshold: 12 * 3600
        }
    }

    /// Its rank among the app's notifications, 0 to 1.
    var relevance: Double {
        switch self {
        case .permission: 1
        case .error: 0.8
        case .question, .stuck: 0.7
        case .finished: 0.4
        case .costThreshold, .serverFailed, .machineOffline: 0.3
        case .longTool, .digest: 0.2
        case .sessionStarted, .sessionEnded, .resolved: 0.1
        }
    }
}

extension Notification {
    /// The level without a preference. Problems that only the account's owner can fix are urgent.
    var defaultLevel: NotificationLevel {
        let pressing = [
            "authentication_failed", "billing_error", "oauth_org_not_allowed", "account_on_hold",
            "verification_required", "cloud_credential_error",
        ]
        if kind == .error, pressing.contains(details.reason ?? "") { return .timeSensitive }
        return kind.defaultLevel
    }
}

internal import EventModel

/// One layer of notification preferences: for all devices together, one device, one project or one session. `nil`
/// means unset.
struct PushPreferences: Sendable, Equatable {
    var kinds: [NotificationKind: KindPreference] = [:]
    /// Seconds in which a prompt may be answered elsewhere before a notice is sent.
    var graceSeconds: Int?
    /// Seconds after which an unanswered prompt is sent again; 0 means never.
    var reminderSeconds: Int?
    var quietHours: QuietSetting?
    /// No notice is sent before this time.
    var mutedUntil: Timestamp?
    /// Push even while a person is looking at the session.
    var alwaysPush: Bool?
    /// Shorter turns cause no notice when they finish.
    var minimumTurnSeconds: Int?
    /// Shorter tools cause no notice of a long tool.
    var longToolSeconds: Int?
    var budget: PushBudget?
    /// Minimum seconds between two notices of one session. Prompts for permission do not wait.
    var sessionGapSeconds: Int?
    var privacy: PrivacyMode?
    var liveActivities: Bool?
    var grouping: NotificationGrouping?
    /// Thresholds in US dollars, in ascending order. In the default layer they apply to the daily cost of all sessions,
    /// in a project's layer to its daily cost, and in a session's layer to its total cost. Ignored in the layers of
    /// devices.
    var costThresholds: [Double]?
    /// Limits of the daily cost of each project and of the total cost of each session. Only the default layer counts.
    var projectCostThresholds: [Double]?
    var sessionCostThresholds: [Double]?

    var isEmpty: Bool { self == PushPreferences() }
}

struct KindPreference: Sendable, Equatable {
    var isEnabled: Bool?
    var level: NotificationLevel?
    var alwaysPush: Bool?
}

/// Whether there are quiet hours. `off` overrides those of a more general layer.
enum QuietSetting: Sendable, Equatable {
    case off
    case between(QuietHours)
}

/// Limit on a device's notifications: `perHour` on average, `burst` at once.
struct PushBudget: Sendable, Equatable {
    var perHour: Int
    var burst: Int
}

/// The content that a push may contain.
enum PrivacyMode: String, Sendable, Hashable, CaseIterable {
    /// Content encrypted for the device. Without the device's key, same as `contentless`.
    case sealed
    /// Only that something happened, and where to fetch it.
    case contentless
    /// Content readable by the push service.
    case plain
}

/// How the device groups notifications.
enum NotificationGrouping: String, Sendable, Hashable, CaseIterable {
    case session
    case project
}

/// From the most general to the most specific. Later layers take precedence.
enum PreferenceLayer: String, Sendable, Hashable, CaseIterable {
    case everyone
    case device
    case project
    case session
}

internal import EventModel

/// One layer of what somebody wants to be told: of all devices together, of one device, of one project or of one
/// session. `nil`: the layer has no opinion.
struct PushPreferences: Sendable, Equatable {
    var kinds: [NotificationKind: KindPreference] = [:]
    /// Seconds that a prompt may be answered elsewhere before it is told.
    var graceSeconds: Int?
    /// Seconds after which an unanswered prompt is told again; 0: never.
    var reminderSeconds: Int?
    var quietHours: QuietSetting?
    /// Nothing is told before.
    var mutedUntil: Timestamp?
    /// Also while somebody looks at the session.
    var alwaysPush: Bool?
    /// Shorter turns are not told as finished.
    var minimumTurnSeconds: Int?
    /// Shorter tools are not told as long.
    var longToolSeconds: Int?
    var budget: PushBudget?
    /// Between two notices of one session; prompts for permission do not wait for it.
    var sessionGapSeconds: Int?
    var privacy: PrivacyMode?
    var liveActivities: Bool?
    var grouping: NotificationGrouping?
    /// US dollars of one day, in growing order. Read from the layer of all devices only.
    var costThresholds: [Double]?

    var isEmpty: Bool { self == PushPreferences() }
}

struct KindPreference: Sendable, Equatable {
    var isEnabled: Bool?
    var level: NotificationLevel?
    var alwaysPush: Bool?
}

/// Whether there is a quiet time; `off` overrules one of a more general layer.
enum QuietSetting: Sendable, Equatable {
    case off
    case between(QuietHours)
}

/// Notifications that a device may get: `perHour` in the long run, `burst` at once.
struct PushBudget: Sendable, Equatable {
    var perHour: Int
    var burst: Int
}

/// What leaves the server with a push.
enum PrivacyMode: String, Sendable, Hashable, CaseIterable {
    /// Content encrypted for the device. Without the device's key: as `contentless`.
    case sealed
    /// That something happened, and where to fetch it.
    case contentless
    /// Content readable by the push service.
    case plain
}

/// What notifications are stacked by on the device.
enum NotificationGrouping: String, Sendable, Hashable, CaseIterable {
    case session
    case project
}

/// From the most general to the most special: what a later one says counts.
enum PreferenceLayer: String, Sendable, Hashable, CaseIterable {
    case everyone
    case device
    case project
    case session
}

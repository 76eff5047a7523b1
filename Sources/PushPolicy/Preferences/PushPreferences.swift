public import EventModel

/// One layer of what somebody wants to be told: of all devices together, of one device, of one project or of one
/// session. `nil`: the layer has no opinion.
public struct PushPreferences: Sendable, Equatable {
    public var kinds: [NoticeKind: KindPreference] = [:]
    /// Seconds that a prompt may be answered elsewhere before it is told.
    public var graceSeconds: Int?
    /// Seconds after which an unanswered prompt is told again; 0: never.
    public var reminderSeconds: Int?
    public var quietHours: QuietSetting?
    /// Nothing is told before.
    public var mutedUntil: Timestamp?
    /// Also while somebody looks at the session.
    public var alwaysPush: Bool?
    /// Shorter turns are not told as finished.
    public var minimumTurnSeconds: Int?
    /// Shorter tools are not told as long.
    public var longToolSeconds: Int?
    public var budget: PushBudget?
    /// Between two notices of one session; prompts for permission do not wait for it.
    public var sessionGapSeconds: Int?
    public var privacy: PrivacyMode?
    public var liveActivities: Bool?
    public var grouping: NoticeGrouping?
    /// US dollars of one day, in growing order. Read from the layer of all devices only.
    public var costThresholds: [Double]?

    public init() {}

    public var isEmpty: Bool { self == PushPreferences() }
}

public struct KindPreference: Sendable, Equatable {
    public var isEnabled: Bool?
    public var level: NoticeLevel?
    public var alwaysPush: Bool?

    public init(isEnabled: Bool? = nil, level: NoticeLevel? = nil, alwaysPush: Bool? = nil) {
        self.isEnabled = isEnabled
        self.level = level
        self.alwaysPush = alwaysPush
    }
}

/// Whether there is a quiet time; `off` overrules one of a more general layer.
public enum QuietSetting: Sendable, Equatable {
    case off
    case between(QuietHours)
}

/// Notifications that a device may get: `perHour` in the long run, `burst` at once.
public struct PushBudget: Sendable, Equatable {
    public var perHour: Int
    public var burst: Int

    public init(perHour: Int, burst: Int) {
        self.perHour = perHour
        self.burst = burst
    }
}

/// What leaves the server with a push.
public enum PrivacyMode: String, Sendable, Hashable, CaseIterable {
    /// Content encrypted for the device. Without the device's key: as `contentless`.
    case sealed
    /// That something happened, and where to fetch it.
    case contentless
    /// Content readable by the push service.
    case plain
}

/// What notifications are stacked by on the device.
public enum NoticeGrouping: String, Sendable, Hashable, CaseIterable {
    case session
    case project
}

/// From the most general to the most special: what a later one says counts.
public enum PreferenceLayer: String, Sendable, Hashable, CaseIterable {
    case everyone
    case device
    case project
    case session
}

public import EventModel

/// What holds for one notice on one device, after all layers have spoken.
public struct ResolvedPreferences: Sendable, Equatable {
    public struct Mute: Sendable, Equatable {
        public var layer: PreferenceLayer
        public var until: Timestamp
    }

    public var kinds: [NoticeKind: KindPreference] = [:]
    public var graceSeconds = 6
    public var reminderSeconds = 180
    public var quietHours: QuietHours?
    /// Of every layer that has one: a mute is not overruled by a more special layer.
    public var mutes: [Mute] = []
    public var alwaysPush = false
    public var minimumTurnSeconds = 120
    public var longToolSeconds = 60
    public var budget = PushBudget(perHour: 20, burst: 5)
    public var sessionGapSeconds = 30
    public var privacy = PrivacyMode.sealed
    public var liveActivities = false
    public var grouping = NoticeGrouping.session
    public var costThresholds: [Double] = []

    /// The defaults.
    public init() {}

    /// A member that a special layer has an opinion on counts whole: quiet hours and budgets are not mixed. Kinds are
    /// taken apart into on, level and presence.
    public static func resolved(
        everyone: PushPreferences? = nil,
        device: PushPreferences? = nil,
        project: PushPreferences? = nil,
        session: PushPreferences? = nil
    ) -> ResolvedPreferences {
        var result = ResolvedPreferences()
        let layers: [(PreferenceLayer, PushPreferences?)] = [
            (.everyone, everyone), (.device, device), (.project, project), (.session, session),
        ]
        for case (let layer, let preferences?) in layers { result.apply(preferences, of: layer) }
        result.costThresholds = everyone?.costThresholds ?? []
        return result
    }

    public func isEnabled(_ kind: NoticeKind) -> Bool { kinds[kind]?.isEnabled ?? kind.isOnByDefault }

    public func level(of kind: NoticeKind) -> NoticeLevel? { kinds[kind]?.level }

    public func alwaysPushes(_ kind: NoticeKind) -> Bool { kinds[kind]?.alwaysPush ?? alwaysPush }

    private mutating func apply(_ layer: PushPreferences, of name: PreferenceLayer) {
        for (kind, preference) in layer.kinds {
            var merged = kinds[kind] ?? KindPreference()
            merged.isEnabled = preference.isEnabled ?? merged.isEnabled
            merged.level = preference.level ?? merged.level
            merged.alwaysPush = preference.alwaysPush ?? merged.alwaysPush
            kinds[kind] = merged
        }
        graceSeconds = layer.graceSeconds ?? graceSeconds
        reminderSeconds = layer.reminderSeconds ?? reminderSeconds
        switch layer.quietHours {
        case .off: quietHours = nil
        case .between(let hours): quietHours = hours
        case nil: break
        }
        if let until = layer.mutedUntil { mutes.append(Mute(layer: name, until: until)) }
        alwaysPush = layer.alwaysPush ?? alwaysPush
        minimumTurnSeconds = layer.minimumTurnSeconds ?? minimumTurnSeconds
        longToolSeconds = layer.longToolSeconds ?? longToolSeconds
        budget = layer.budget ?? budget
        sessionGapSeconds = layer.sessionGapSeconds ?? sessionGapSeconds
        privacy = layer.privacy ?? privacy
        liveActivities = layer.liveActivities ?? liveActivities
        grouping = layer.grouping ?? grouping
    }
}

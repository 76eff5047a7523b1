internal import EventModel

/// The effective preferences for one notice on one device, combined from all layers.
struct ResolvedPreferences: Sendable, Equatable {
    struct Mute: Sendable, Equatable {
        var layer: PreferenceLayer
        var until: Timestamp
    }

    var kinds: [NotificationKind: KindPreference] = [:]
    var graceSeconds = 6
    var reminderSeconds = 180
    var quietHours: QuietHours?
    /// The mutes of all layers: a more specific layer does not override a mute.
    var mutes: [Mute] = []
    var alwaysPush = false
    var minimumTurnSeconds = 120
    var longToolSeconds = 60
    var budget = PushBudget(perHour: 20, burst: 5)
    var sessionGapSeconds = 30
    var privacy = PrivacyMode.sealed
    var liveActivities = false
    var grouping = NotificationGrouping.session
    var costThresholds: [Double] = []
    var projectCostThresholds: [Double] = []
    var sessionCostThresholds: [Double] = []

    /// A member of a more specific layer replaces the whole member: quiet hours and budgets are not merged. Kinds are
    /// merged by on, level and presence.
    static func resolved(
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
        result.projectCostThresholds = project?.costThresholds ?? everyone?.projectCostThresholds ?? []
        result.sessionCostThresholds = session?.costThresholds ?? everyone?.sessionCostThresholds ?? []
        return result
    }

    func isEnabled(_ kind: NotificationKind) -> Bool { kinds[kind]?.isEnabled ?? kind.isOnByDefault }

    func level(of kind: NotificationKind) -> NotificationLevel? { kinds[kind]?.level }

    func alwaysPushes(_ kind: NotificationKind) -> Bool { kinds[kind]?.alwaysPush ?? alwaysPush }

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

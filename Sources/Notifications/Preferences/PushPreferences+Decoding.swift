internal import EventModel
internal import JSON

extension PushPreferences {
    /// Inclusive limits of the settings.
    enum Bounds {
        static let graceSeconds = 0...60
        static let reminderSeconds = 30...540
        static let minimumTurnSeconds = 0...86_400
        static let longToolSeconds = 30...86_400
        static let sessionGapSeconds = 0...3600
        static let perHour = 1...600
        static let burst = 1...60
        static let costThresholds = 10
        static let costUSD = 0.01...1_000_000
    }

    /// Decodes one layer. `null` means unset. Rejects unknown fields, so that typing errors are noticed.
    init(json bytes: [UInt8]) throws(PreferencesError) {
        guard let json = try? JSONValue.parse(bytes, maxDepth: 8) else {
            throw PreferencesError(field: "", fault: .notJSON)
        }
        try self.init(json: json)
    }

    init(json: JSONValue) throws(PreferencesError) {
        self.init()
        let fields = try PreferenceFields(json, path: "")
        try fields.allow([
            "kinds", "grace_seconds", "reminder_seconds", "quiet_hours", "muted_until", "always_push",
            "minimum_turn_seconds", "long_tool_seconds", "budget", "session_gap_seconds", "privacy",
            "live_activities", "grouping", "cost_thresholds_usd", "project_cost_thresholds_usd",
            "session_cost_thresholds_usd",
        ])
        kinds = try PushPreferences.kinds(fields)
        graceSeconds = try fields.integer("grace_seconds", Bounds.graceSeconds)
        reminderSeconds = try fields.integer("reminder_seconds", Bounds.reminderSeconds, orZero: true)
        quietHours = try PushPreferences.quietHours(fields)
        mutedUntil = try fields.time("muted_until")
        alwaysPush = try fields.bool("always_push")
        minimumTurnSeconds = try fields.integer("minimum_turn_seconds", Bounds.minimumTurnSeconds)
        longToolSeconds = try fields.integer("long_tool_seconds", Bounds.longToolSeconds)
        if let budget = try fields.object("budget") { self.budget = try PushBudget(fields: budget) }
        sessionGapSeconds = try fields.integer("session_gap_seconds", Bounds.sessionGapSeconds)
        privacy = try fields.word("privacy")
        liveActivities = try fields.bool("live_activities")
        grouping = try fields.word("grouping")
        costThresholds = try fields.amounts("cost_thresholds_usd")
        projectCostThresholds = try fields.amounts("project_cost_thresholds_usd")
        sessionCostThresholds = try fields.amounts("session_cost_thresholds_usd")
    }

    private static func quietHours(_ fields: PreferenceFields) throws(PreferencesError) -> QuietSetting? {
        if fields.isFalse("quiet_hours") { return .off }
        guard let hours = try fields.object("quiet_hours", or: "false") else { return nil }
        return .between(try QuietHours(fields: hours))
    }

    private static func kinds(
        _ fields: PreferenceFields
    ) throws(PreferencesError) -> [NotificationKind: KindPreference] {
        guard let kinds = try fields.object("kinds") else { return [:] }
        try kinds.allow(NotificationKind.configurable.map(\.rawValue))
        var result: [NotificationKind: KindPreference] = [:]
        for kind in NotificationKind.configurable {
            guard let fields = try kinds.object(kind.rawValue) else { continue }
            try fields.allow(["enabled", "level", "always_push"])
            let preference = KindPreference(
                isEnabled: try fields.bool("enabled"),
                level: try fields.word("level"),
                alwaysPush: try fields.bool("always_push")
            )
            if preference != KindPreference() { result[kind] = preference }
        }
        return result
    }
}

extension PushBudget {
    fileprivate init(fields: PreferenceFields) throws(PreferencesError) {
        try fields.allow(["per_hour", "burst"])
        let standard = ResolvedPreferences().budget
        self.init(
            perHour: try fields.integer("per_hour", PushPreferences.Bounds.perHour) ?? standard.perHour,
            burst: try fields.integer("burst", PushPreferences.Bounds.burst) ?? standard.burst
        )
    }
}

extension QuietHours {
    static let dayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    fileprivate init(fields: PreferenceFields) throws(PreferencesError) {
        try fields.allow(["start", "end", "days", "delivery", "permission_pierces"])
        self.init(
            start: try fields.timeOfDay("start"),
            end: try fields.timeOfDay("end"),
            days: try fields.days("days", names: QuietHours.dayNames),
            delivery: try fields.word("delivery") ?? .silent,
            permissionPierces: try fields.bool("permission_pierces") ?? true
        )
    }
}

internal import EventModel
internal import JSON

extension PushPreferences {
    /// Compact JSON that `init(json:)` can decode. Omits unset members.
    func json() -> [UInt8] {
        var writer = JSONWriter(reserving: 256)
        write(to: &writer)
        return writer.bytes
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeKinds(to: &writer)
        writer.field("grace_seconds", graceSeconds.map(Int64.init))
        writer.field("reminder_seconds", reminderSeconds.map(Int64.init))
        switch quietHours {
        case .off: writer.field("quiet_hours", false)
        case .between(let hours): hours.write(to: &writer)
        case nil: break
        }
        writer.field("muted_until", mutedUntil?.description)
        writer.field("always_push", alwaysPush)
        writer.field("minimum_turn_seconds", minimumTurnSeconds.map(Int64.init))
        writer.field("long_tool_seconds", longToolSeconds.map(Int64.init))
        budget?.write(to: &writer)
        writer.field("session_gap_seconds", sessionGapSeconds.map(Int64.init))
        writer.field("privacy", privacy?.rawValue)
        writer.field("live_activities", liveActivities)
        writer.field("grouping", grouping?.rawValue)
        writer.amounts("cost_thresholds_usd", costThresholds)
        writer.amounts("project_cost_thresholds_usd", projectCostThresholds)
        writer.amounts("session_cost_thresholds_usd", sessionCostThresholds)
        writer.endObject()
    }

    private func writeKinds(to writer: inout JSONWriter) {
        guard !kinds.isEmpty else { return }
        writer.beginObject("kinds")
        for kind in NotificationKind.allCases {
            guard let preference = kinds[kind] else { continue }
            writer.beginObject(kind.rawValue)
            writer.field("enabled", preference.isEnabled)
            writer.field("level", preference.level?.rawValue)
            writer.field("always_push", preference.alwaysPush)
            writer.endObject()
        }
        writer.endObject()
    }
}

extension JSONWriter {
    fileprivate mutating func amounts(_ name: String, _ amounts: [Double]?) {
        guard let amounts else { return }
        beginArray(name)
        for amount in amounts { number(amount) }
        endArray()
    }
}

extension PushBudget {
    func write(to writer: inout JSONWriter) {
        writer.beginObject("budget")
        writer.field("per_hour", perHour)
        writer.field("burst", burst)
        writer.endObject()
    }
}

extension QuietHours {
    func write(to writer: inout JSONWriter) {
        writer.beginObject("quiet_hours")
        writer.field("start", QuietHours.text(start))
        writer.field("end", QuietHours.text(end))
        if !days.isEmpty {
            writer.beginArray("days")
            for day in days.sorted() where QuietHours.dayNames.indices.contains(day) {
                writer.string(QuietHours.dayNames[day])
            }
            writer.endArray()
        }
        writer.field("delivery", delivery.rawValue)
        writer.field("permission_pierces", permissionPierces)
        writer.endObject()
    }

    private static func text(_ minutes: Int) -> String {
        let parts = [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return parts.joined(separator: ":")
    }
}

extension ResolvedPreferences {
    /// A layer in which everything is set, to show the effective preferences. Mutes are combined into the latest one.
    var asPreferences: PushPreferences {
        var layer = PushPreferences()
        for kind in NotificationKind.configurable {
            layer.kinds[kind] = KindPreference(
                isEnabled: isEnabled(kind),
                level: level(of: kind) ?? kind.defaultLevel,
                alwaysPush: alwaysPushes(kind)
            )
        }
        layer.graceSeconds = graceSeconds
        layer.reminderSeconds = reminderSeconds
        layer.quietHours = quietHours.map(QuietSetting.between) ?? .off
        layer.mutedUntil = mutes.map(\.until).max()
        layer.alwaysPush = alwaysPush
        layer.minimumTurnSeconds = minimumTurnSeconds
        layer.longToolSeconds = longToolSeconds
        layer.budget = budget
        layer.sessionGapSeconds = sessionGapSeconds
        layer.privacy = privacy
        layer.liveActivities = liveActivities
        layer.grouping = grouping
        layer.costThresholds = costThresholds
        layer.projectCostThresholds = projectCostThresholds
        layer.sessionCostThresholds = sessionCostThresholds
        return layer
    }
}

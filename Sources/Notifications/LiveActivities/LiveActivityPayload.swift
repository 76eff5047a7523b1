internal import EventModel
internal import JSON

/// Pushes that start, update and end a Live Activity.
///
/// The system displays `content-state` without running the app, so it cannot be encrypted. It contains tools and
/// titles in the plain privacy mode only.
enum LiveActivityPayload {
    /// The app's `ActivityAttributes` type.
    static let attributesType = "ClaudeSessionAttributes"

    /// Seconds for which the push service keeps a push for a device that is offline.
    static let lifetimeSeconds = 900.0

    static func bytes(_ step: LiveActivityStep, privacy: PrivacyMode, now: Timestamp) -> [UInt8] {
        var writer = JSONWriter(reserving: 768)
        writer.beginObject()
        writer.beginObject("aps")
        writer.field("timestamp", now.wholeSeconds)
        writer.field("event", step.event.rawValue)
        if step.event == .start {
            writer.field("attributes-type", attributesType)
            writer.beginObject("attributes")
            writeAttributes(step.state.place, privacy, to: &writer)
            writer.endObject()
            writer.field("input-push-token", 1)
        }
        writer.beginObject("content-state")
        writeState(step.state, privacy, to: &writer)
        writer.endObject()
        if let staleAt = step.staleAt { writer.field("stale-date", staleAt.wholeSeconds) }
        if let dismissAt = step.dismissAt { writer.field("dismissal-date", dismissAt.wholeSeconds) }
        writer.field("relevance-score", relevance(step.state.phase))
        if step.alerts { writeAlert(step.state, to: &writer) }
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    private static func writeAttributes(_ place: NotificationPlace, _ privacy: PrivacyMode, to writer: inout JSONWriter)
    {
        writer.field("session", NotificationNames.hash(place.sessionID ?? ""))
        guard privacy == .plain else { return }
        writer.field("sessionID", place.sessionID)
        writer.field("project", place.projectName.map { $0.cut(to: 100) })
        writer.field("machine", place.machineName.map { $0.cut(to: 100) })
    }

    /// Times are whole seconds since 1970. The system decodes with the default strategies, in which a `Date` would
    /// count from 2001.
    private static func writeState(_ state: ActivityState, _ privacy: PrivacyMode, to writer: inout JSONWriter) {
        writer.field("phase", state.phase.rawValue)
        writer.field("since", state.since.wholeSeconds)
        writer.field("pending", state.pending)
        guard privacy == .plain else { return }
        writer.field("tool", state.toolName.map { $0.cut(to: 100) })
        writer.field("title", state.sessionTitle.map { $0.cut(to: 200) })
    }

    private static func writeAlert(_ state: ActivityState, to writer: inout JSONWriter) {
        writer.beginObject("alert")
        writer.beginObject("title")
        writer.field("loc-key", "push.activity.\(state.phase.rawValue).title")
        writer.endObject()
        writer.beginObject("body")
        writer.field("loc-key", "push.activity.\(state.phase.rawValue).body")
        writer.endObject()
        writer.endObject()
    }

    private static func relevance(_ phase: ActivityState.Phase) -> Double {
        switch phase {
        case .waiting: 100
        case .error: 75
        case .running: 50
        case .idle, .ended: 10
        }
    }
}

extension Timestamp {
    /// Rounded down; at least 1, because 0 has a special meaning.
    var wholeSeconds: Int64 { max(1, microseconds / 1_000_000) }
}

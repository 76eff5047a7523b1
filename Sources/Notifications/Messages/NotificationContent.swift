internal import EventModel
internal import JSON

/// A notice's content for clients: the plaintext of a sealed push, and the open part of a plain one.
enum NotificationContent {
    /// Byte limits for each free text, tried in order until the message fits the service's limit.
    static let textLimits = [1000, 600, 300, 150, 80, 40]

    /// - Parameter textLimit: maximum bytes of each free text.
    static func write(_ notice: Notification, text: NotificationText, textLimit: Int, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("v", 1)
        writer.field("kind", notice.kind.rawValue)
        writer.field("key", notice.key)
        writer.field("prompt", notice.promptKey)
        if let actions = notice.actions(shownWith: text, within: textLimit) {
            writer.key("answer")
            actions.write(to: &writer)
        }
        if notice.kind == .permission { writer.field("complete", notice.isComplete(in: text, within: textLimit)) }
        if notice.isReminder { writer.field("reminder", true) }
        writer.field("session_id", notice.place.sessionID)
        writer.field("workspace_id", notice.place.workspaceID)
        writer.field("machine", notice.place.machineName.map { $0.cut(to: textLimit) })
        writer.field("project", notice.place.projectName.map { $0.cut(to: textLimit) })
        if notice.seq > 0 { writer.field("seq", notice.seq) }
        writer.field("raised_at", notice.raisedAt.description)
        writer.field("expires_at", notice.expiresAt.description)
        writer.field("title", text.title.cut(to: textLimit))
        writer.field("subtitle", text.subtitle.map { $0.cut(to: textLimit) })
        writer.field("body", text.body.cut(to: textLimit))
        writer.field("tool_name", notice.details.toolName.map { $0.cut(to: textLimit) })
        writer.field("tool_use_id", notice.details.toolUseID)
        writer.field("reason", notice.details.reason.map { $0.cut(to: textLimit) })
        writer.field("duration_seconds", notice.details.durationSeconds)
        writer.field("cost_usd", notice.details.costUSD)
        writer.field("pending", notice.details.pending.map(Int64.init))
        writer.field("count", notice.details.count.map(Int64.init))
        writer.field("sessions", notice.details.sessions.map(Int64.init))
        writer.endObject()
    }
}

extension Notification {
    /// A longer text is not read whole on a lock screen. Unicode scalars.
    private static let readableCharacters = 240

    /// Whether a push with this text shows the whole request.
    func isComplete(in text: NotificationText, within textLimit: Int) -> Bool {
        details.isSummaryComplete && text.body.utf8.count <= textLimit
            && text.body.unicodeScalars.count <= Notification.readableCharacters
    }

    /// The actions that a push with this text may offer. If the text shows only a part of the request, the push does
    /// not offer to allow it.
    func actions(shownWith text: NotificationText, within textLimit: Int) -> PromptActions? {
        guard var actions else { return nil }
        if !isComplete(in: text, within: textLimit) { actions.allow = nil }
        return actions
    }
}

internal import EventModel
internal import JSON

/// Something that people may be notified of. It is independent of devices: their rules decide when it is due.
struct Notification: Sendable, Equatable {
    /// The end of the keys of reminders.
    static let reminderSuffix = ":r"

    /// Unique among all notices, and the same whenever the same event is processed. At most 64 bytes of ASCII.
    var key: String
    var kind: NotificationKind
    /// Notices with the same key are withdrawn together. `nil` if nothing withdraws the notice. At most 64 bytes of
    /// ASCII.
    var promptKey: String?
    /// A repeated notice of a prompt that was not answered.
    var isReminder = false
    var place: NotificationPlace
    /// The event's log position, or 0 for a notice without an event.
    var seq: Int64
    /// The event that caused it.
    var eventID: EventID?
    /// When the notice was raised, on the server's clock. The grace period starts here.
    var raisedAt: Timestamp
    /// Not sent before this time, whatever the preferences. They may delay it further: `DeliveryRules.firstDue`.
    var notBefore: Timestamp
    /// Seconds to wait for a confirmation that a person is being asked; 0 if none is needed.
    var unconfirmedSeconds = 0.0
    /// Not sent from this time on.
    var expiresAt: Timestamp
    /// A later notification with the same id replaces this one on the device. At most 64 bytes of ASCII.
    var collapseID: String
    var details = NotificationDetails()
    /// The actions that the push offers the device. They are not stored, because each device gets its own.
    var actions: PromptActions?
}

/// Answers to a prompt that a push carries, each as a capability for one device.
package struct PromptActions: Sendable, Equatable {
    var promptID: String
    /// `nil` if the push does not show everything that would be allowed.
    var allow: String?
    var deny: String

    package init(promptID: String, allow: String, deny: String) {
        (self.promptID, self.allow, self.deny) = (promptID, allow, deny)
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("id", promptID)
        writer.beginObject("actions")
        writer.field("allow", allow)
        writer.field("deny", deny)
        writer.endObject()
        writer.endObject()
    }
}

/// The origin of a notice.
struct NotificationPlace: Sendable, Equatable {
    /// `nil` for notices about all sessions (cost, digests).
    var sessionID: String?
    var workspaceID: String?
    var machineName: String?
    /// The last component of the project's path.
    var projectName: String?
}

/// The details of a notice. Everything except `pending`, `count` and `sessions` is content, which leaves the server
/// only encrypted or in the plain privacy mode.
struct NotificationDetails: Sendable, Equatable {
    var toolName: String?
    var toolUseID: String?
    /// The event's summary line, at most 200 characters.
    var summary: String?
    /// Whether `summary` is the whole of what is asked: every member that has an effect, every byte, nothing masked.
    var isSummaryComplete = false
    var sessionTitle: String?
    /// StopFailure's `error`, SessionEnd's `reason`, the kind of question.
    var reason: String?
    /// The duration of the turn or the tool, or for an idle session that of its last turn.
    var durationSeconds: Double?
    var costUSD: Double?
    /// Number of waiting prompts of the session, including this one.
    var pending: Int?
    /// For a digest: the number of notices, and of the sessions that they come from.
    var count: Int?
    var sessions: Int?
}

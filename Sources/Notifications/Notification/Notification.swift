internal import EventModel

/// Something that may be told to people. It says nothing about devices: their rules decide on it when it is due.
struct Notification: Sendable, Equatable {
    /// The same for the same event however often it is evaluated; unique among all notices. At most 64 bytes of ASCII.
    var key: String
    var kind: NotificationKind
    /// Withdrawn together with all notices of this key. `nil`: nothing withdraws it. At most 64 bytes of ASCII.
    var promptKey: String?
    /// A second telling of a prompt that nobody answered.
    var isReminder = false
    var place: NotificationPlace
    /// The event's place in the log; 0 where no event stands behind the notice.
    var seq: Int64
    /// The event behind it.
    var eventID: EventID?
    /// When it was seen to be so, by the server's clock: what grace counts from.
    var raisedAt: Timestamp
    /// Not to be sent before, whatever the preferences. They may add to it: `DeliveryRules.firstDue`.
    var notBefore: Timestamp
    /// Seconds that it waits for a sign that a person is asked; 0: it needs none.
    var unconfirmedSeconds = 0.0
    /// Not to be sent from then on.
    var expiresAt: Timestamp
    /// A later notification with the same one replaces this on the device. At most 64 bytes of ASCII.
    var collapseID: String
    var details = NotificationDetails()
}

/// Where a notice comes from.
struct NotificationPlace: Sendable, Equatable {
    /// `nil` for notices about all sessions (cost, digests).
    var sessionID: String?
    var workspaceID: String?
    var machineName: String?
    /// The last part of the project's path.
    var projectName: String?
}

/// What a notice says beyond its kind. Everything but `pending`, `count` and `sessions` is content, which leaves the
/// server only sealed or with the plain privacy mode.
struct NotificationDetails: Sendable, Equatable {
    var toolName: String?
    var toolUseID: String?
    /// The event's line for people, at most 200 characters.
    var summary: String?
    var sessionTitle: String?
    /// StopFailure's `error`, SessionEnd's `reason`, the kind of question.
    var reason: String?
    /// How long the turn or the tool took; of an idle session, its last turn.
    var durationSeconds: Double?
    var costUSD: Double?
    /// Prompts of the session that wait, this one included.
    var pending: Int?
    /// Of a digest: notices, and how many sessions they come from.
    var count: Int?
    var sessions: Int?
}

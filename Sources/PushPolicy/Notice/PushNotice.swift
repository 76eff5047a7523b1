public import EventModel

/// Something that may be told to people. It says nothing about devices: their rules decide on it when it is due.
public struct PushNotice: Sendable, Equatable {
    /// The same for the same event however often it is evaluated; unique among all notices. At most 64 bytes of ASCII.
    public var key: String
    public var kind: NoticeKind
    /// Withdrawn together with all notices of this key. `nil`: nothing withdraws it. At most 64 bytes of ASCII.
    public var promptKey: String?
    /// A second telling of a prompt that nobody answered.
    public var isReminder: Bool
    public var place: NoticePlace
    /// The event's place in the log; 0 where no event stands behind the notice.
    public var seq: Int64
    /// When it was seen to be so, by the server's clock: what grace counts from.
    public var raisedAt: Timestamp
    /// Not to be sent before, whatever the preferences. They may add to it: `DeliveryRules.firstDue`.
    public var notBefore: Timestamp
    /// Seconds that it waits for a sign that a person is asked; 0: it needs none.
    public var unconfirmedSeconds = 0.0
    /// Not to be sent from then on.
    public var expiresAt: Timestamp
    /// A later notification with the same one replaces this on the device. At most 64 bytes of ASCII.
    public var collapseID: String
    public var details: NoticeDetails

    public init(
        key: String,
        kind: NoticeKind,
        promptKey: String? = nil,
        isReminder: Bool = false,
        place: NoticePlace,
        seq: Int64,
        raisedAt: Timestamp,
        notBefore: Timestamp,
        expiresAt: Timestamp,
        collapseID: String,
        details: NoticeDetails = NoticeDetails()
    ) {
        self.key = key
        self.kind = kind
        self.promptKey = promptKey
        self.isReminder = isReminder
        self.place = place
        self.seq = seq
        self.raisedAt = raisedAt
        self.notBefore = notBefore
        self.expiresAt = expiresAt
        self.collapseID = collapseID
        self.details = details
    }
}

/// Where a notice comes from.
public struct NoticePlace: Sendable, Equatable {
    /// `nil` for notices about all sessions (cost, digests).
    public var sessionID: String?
    public var workspaceID: String?
    public var machineName: String?
    /// The last part of the project's path.
    public var projectName: String?

    public init(
        sessionID: String? = nil,
        workspaceID: String? = nil,
        machineName: String? = nil,
        projectName: String? = nil
    ) {
        self.sessionID = sessionID
        self.workspaceID = workspaceID
        self.machineName = machineName
        self.projectName = projectName
    }
}

/// What a notice says beyond its kind. Everything but `pending`, `count` and `sessions` is content, which leaves the
/// server only sealed or with the plain privacy mode.
public struct NoticeDetails: Sendable, Equatable {
    public var toolName: String?
    public var toolUseID: String?
    /// The event's line for people, at most 200 characters.
    public var summary: String?
    public var sessionTitle: String?
    /// StopFailure's `error`, SessionEnd's `reason`, the kind of question.
    public var reason: String?
    /// How long the turn or the tool took; of an idle session, its last turn.
    public var durationSeconds: Double?
    public var costUSD: Double?
    /// Prompts of the session that wait, this one included.
    public var pending: Int?
    /// Of a digest: notices, and how many sessions they come from.
    public var count: Int?
    public var sessions: Int?

    public init(
        toolName: String? = nil,
        toolUseID: String? = nil,
        summary: String? = nil,
        sessionTitle: String? = nil,
        reason: String? = nil,
        durationSeconds: Double? = nil,
        costUSD: Double? = nil,
        pending: Int? = nil,
        count: Int? = nil,
        sessions: Int? = nil
    ) {
        self.toolName = toolName
        self.toolUseID = toolUseID
        self.summary = summary
        self.sessionTitle = sessionTitle
        self.reason = reason
        self.durationSeconds = durationSeconds
        self.costUSD = costUSD
        self.pending = pending
        self.count = count
        self.sessions = sessions
    }
}

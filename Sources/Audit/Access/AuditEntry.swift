public import EventModel

/// A page of the audit log, newest rows first. A member that is `nil` matches every row.
public struct AuditQuery: Sendable {
    public var limit: Int
    /// Only rows with a smaller id.
    public var before: Int64?
    public var actor: String?
    public var action: String?
    public var result: String?

    public init(limit: Int) {
        self.limit = limit
    }
}

/// A grant, a refusal or a revocation. Contains no secret.
public struct AuditEntry: Sendable, Equatable {
    public var at: Timestamp
    /// `admin`, `device:ID` or `anonymous`.
    public var actor: String
    public var action: String
    /// `nil` if unknown.
    public var object: String?
    public var result: String
    /// Empty for a unix socket.
    public var peer: String
    public var requestID: String
    /// Number of attempts that the entry stands for; the other members are those of the latest.
    public var attempts: Int64

    public init(
        at: Timestamp,
        actor: String,
        action: String,
        object: String?,
        result: String,
        peer: String,
        requestID: String,
        attempts: Int64 = 1
    ) {
        self.at = at
        self.actor = actor
        self.action = action
        self.object = object
        self.result = result
        self.peer = peer
        self.requestID = requestID
        self.attempts = attempts
    }
}

/// An entry that is stored in the log.
public struct AuditRecord: Sendable, Equatable {
    /// Ascending in the order of writing.
    public var id: Int64
    public var entry: AuditEntry

    public init(id: Int64, entry: AuditEntry) {
        self.id = id
        self.entry = entry
    }
}

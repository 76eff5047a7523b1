public import EventModel

/// Selects sessions, most recently active first.
public struct SessionQuery: Sendable, Equatable {
    public typealias Cursor = ActivityCursor

    /// The time that distinguishes active from idle sessions.
    public var now: Timestamp
    /// 1 to 200.
    public var limit: Int
    /// At most one of cursor and offset may be set.
    public var cursor: Cursor?
    public var offset: Int?
    public var status: Session.Status?
    /// Selects only sessions for which `Session.isRunning` is true.
    public var isRunning = false
    public var machine: MachineFilter?
    public var workspaceID: String?

    public init(now: Timestamp, limit: Int) {
        self.now = now
        self.limit = limit
    }
}

public struct SessionPage: Sendable, Equatable {
    public var sessions: [Session]
    public var hasMore: Bool
    /// Number of matching sessions. Counted only if the query has an offset.
    public var total: Int64?

    public init(sessions: [Session], hasMore: Bool, total: Int64?) {
        self.sessions = sessions
        self.hasMore = hasMore
        self.total = total
    }
}

public import EventModel

/// Which sessions to list, the latest active first.
public struct SessionQuery: Sendable, Equatable {
    public typealias Cursor = ActivityCursor

    /// What decides between active and idle.
    public var now: Timestamp
    /// 1 to 200.
    public var limit: Int
    /// At most one of cursor and offset.
    public var cursor: Cursor?
    public var offset: Int?
    public var status: Session.Status?
    /// Only those of which `Session.isRunning` holds.
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
    /// All sessions that fit the query; counted only where an offset was asked for.
    public var total: Int64?

    public init(sessions: [Session], hasMore: Bool, total: Int64?) {
        self.sessions = sessions
        self.hasMore = hasMore
        self.total = total
    }
}

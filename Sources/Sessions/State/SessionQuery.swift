package import EventModel

/// Selects sessions, most recently active first.
package struct SessionQuery: Sendable, Equatable {
    package typealias Cursor = ActivityCursor

    /// The time that distinguishes active from idle sessions.
    package var now: Timestamp
    /// 1 to 200.
    package var limit: Int
    /// At most one of cursor and offset may be set.
    package var cursor: Cursor?
    package var offset: Int?
    package var status: Session.Status?
    /// Selects only sessions for which `Session.isRunning` is true.
    package var isRunning = false
    package var machine: MachineFilter?
    package var workspaceID: String?

    package init(now: Timestamp, limit: Int) {
        self.now = now
        self.limit = limit
    }
}

package struct SessionPage: Sendable, Equatable {
    package var sessions: [Session]
    package var hasMore: Bool
    /// Number of matching sessions. Counted only if the query has an offset.
    package var total: Int64?

    package init(sessions: [Session], hasMore: Bool, total: Int64?) {
        self.sessions = sessions
        self.hasMore = hasMore
        self.total = total
    }
}

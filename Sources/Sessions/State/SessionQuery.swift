package import EventModel

/// Selects sessions, most recently active first unless another order is given.
package struct SessionQuery: Sendable, Equatable {
    /// What a list of sessions is sorted by.
    package enum Order: String, Sendable, CaseIterable {
        case activity
        case started
        case duration
        case cost
    }

    /// The time that distinguishes active from idle sessions.
    package var now: Timestamp
    /// 1 to 200.
    package var limit: Int
    /// At most one of cursor and offset may be set.
    package var cursor: ListCursor?
    package var offset: Int?
    package var kind = Session.Kind.session
    package var status: Session.Status?
    /// Selects only sessions for which `Session.isRunning` is true.
    package var isRunning = false
    package var machine: MachineFilter?
    package var workspaceID: String?
    /// Selects only these sessions. Empty selects all.
    package var ids: [String] = []
    /// As the session's events say; `unknown` matches none, because the machine's silence is no event.
    package var state: Session.State?
    package var order = Order.activity
    package var isAscending = false
    /// `nil` selects sessions of the archive and others.
    package var isArchived: Bool? = false
    /// Each must occur in the title, directory, machine or id, in any case of letters.
    package var words: [String] = []

    package init(now: Timestamp, limit: Int) {
        self.now = now
        self.limit = limit
    }
}

package struct SessionPage: Sendable, Equatable {
    package var sessions: [Session]
    /// The cursor of the next page; `nil` if this is the last one.
    package var next: ListCursor?
    /// Number of matching sessions on all pages.
    package var total: Int64

    package init(sessions: [Session], next: ListCursor?, total: Int64) {
        (self.sessions, self.next, self.total) = (sessions, next, total)
    }
}

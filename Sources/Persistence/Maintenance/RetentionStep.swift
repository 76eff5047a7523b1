internal import EventModel

/// What one module does when rows that it has stored beside the log are past their retention.
package enum RetentionStep: Sendable {
    /// Deletes in portions. `$1` is the time before which rows are deleted, `$2` the size of a portion.
    case portions(Statement, RetentionAge)
    /// Deletes at once. `$1` is the time before which rows are deleted.
    case once(Statement, RetentionAge)
    /// Deletes rows whose subject no longer exists. Runs when sessions and projects have been deleted. No parameters.
    case orphans(Statement)
    /// A condition that keeps the row `w` of `workspaces`, although no person has edited it and it has no sessions.
    case keepsProject(String)
}

/// The age at which rows are past their retention.
package enum RetentionAge: Sendable {
    /// The retention of events, or this number of seconds if it is less.
    case ofEvents(atMost: Double = .infinity)
    /// A fixed number of seconds. It does not depend on the retention of events.
    case seconds(Double)
}

extension RetentionAge {
    /// The time before which rows are past their retention.
    ///
    /// - Parameter cutoff: events received before this time are past theirs.
    func limit(_ cutoff: Timestamp, now: Timestamp) -> Timestamp {
        switch self {
        case .ofEvents(let seconds): max(cutoff, now.adding(seconds: -seconds))
        case .seconds(let seconds): now.adding(seconds: -seconds)
        }
    }
}

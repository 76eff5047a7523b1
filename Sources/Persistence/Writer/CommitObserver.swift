package import EventModel

/// Receives notifications from the writer about changes of the log. All methods are called on the writer's thread, in
/// the order of the writer's observer list. None may block.
package protocol CommitObserver: Sendable {
    /// The writer has connected. The log ends at this position, and may include commits whose answer this writer
    /// lost.
    func logReaches(_ position: StreamPosition)
    /// A commit is in progress, so that observers can prepare. It may still fail, or be retried with other positions.
    func committing(_ batch: CommittedBatch)
    /// Called once for each commit, in the order of `seq`, before the completions of its events.
    func committed(_ batch: CommittedBatch)
    /// The completions of all requests of one batch have been called.
    func answered()
}

extension CommitObserver {
    package func logReaches(_ position: StreamPosition) {}
    package func committing(_ batch: CommittedBatch) {}
    package func committed(_ batch: CommittedBatch) {}
    package func answered() {}
}

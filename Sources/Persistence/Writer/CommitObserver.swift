public import EventModel

/// Is told by the writer what becomes of the log. All methods are called on the writer's thread, the observers in the
/// order of the list that the writer was given; none may block.
public protocol CommitObserver: Sendable {
    /// The writer has connected: the log goes up to there, also by events that this writer never knew to be committed.
    func logReaches(_ position: StreamPosition)
    /// A commit is under way, so that something can be prepared for it: it may fail yet, or be tried again with other
    /// places.
    func committing(_ batch: CommittedBatch)
    /// Called once for each commit, in the order of `seq`, before the completions of its events.
    func committed(_ batch: CommittedBatch)
    /// The completions of all that was taken together have been called.
    func answered()
}

extension CommitObserver {
    public func logReaches(_ position: StreamPosition) {}
    public func committing(_ batch: CommittedBatch) {}
    public func committed(_ batch: CommittedBatch) {}
    public func answered() {}
}

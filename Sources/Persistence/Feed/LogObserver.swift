package import EventModel

/// Receives the log: this server's commits and those of other servers, in order, each event at most once. The methods
/// are called on the writer's thread or on the feed's, never on two threads at once. None may block.
package protocol LogObserver: Sendable {
    /// Whether to read the events of other servers for this observer. Otherwise `skipped` takes their place.
    var needsEvents: Bool { get }
    /// A commit of this server is in progress, and follows the events that were passed on last. It may still fail, or
    /// get other positions.
    func committing(_ batch: CommittedBatch)
    /// The next events. If no call of `skipped` came before, they follow the last ones; retention and erasures may have
    /// deleted some between them.
    func logged(_ batch: CommittedBatch)
    /// The log goes on after this position. The events up to it were not passed on; the database has them.
    func skipped(to position: StreamPosition)
}

extension LogObserver {
    package func committing(_ batch: CommittedBatch) {}
}

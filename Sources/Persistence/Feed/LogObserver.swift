package import EventModel

/// Receives the log: this server's commits and those of other servers, in order, each event at most once. `logged` and
/// `skipped` are called on any thread, never on two at once. None of the methods may block.
package protocol LogObserver: Sendable {
    /// Whether to read the events of other servers for this observer. Otherwise `skipped` takes their place.
    var needsEvents: Bool { get }
    /// A commit of this server is in progress. If it succeeds and no other server commits first, the batch is what
    /// `logged` passes next. Called on the writer's thread, also while another thread calls `logged`.
    func expects(_ batch: CommittedBatch)
    /// The next events. If no call of `skipped` came before, they follow the last ones; retention and erasures may have
    /// deleted some between them.
    func logged(_ batch: CommittedBatch)
    /// The log goes on after this position. The events up to it were not passed on; the database has them.
    func skipped(to position: StreamPosition)
}

extension LogObserver {
    package func expects(_ batch: CommittedBatch) {}
}

/// The one row of `log_head`: the epoch of the log and the position of its last event.
struct LogHead: Equatable {
    var epoch: String
    var lastSeq: Int64
    /// Changes when sessions are removed, or when the directory of one changes. Cached owners are then stale.
    var ownerChanges: Int64 = 0

    init(epoch: String, lastSeq: Int64, ownerChanges: Int64 = 0) {
        self.epoch = epoch
        self.lastSeq = lastSeq
        self.ownerChanges = ownerChanges
    }

    /// Decodes a row of `WriterStatements.lockHead` or `claimHead`.
    init(_ row: PQRow?) throws(PersistenceError) {
        guard let row else { throw PersistenceError(.malformedReply, "log_head has no row") }
        (epoch, lastSeq, ownerChanges) = try row.values()
    }

    /// Whether owners that were cached at the other head are still the stored ones.
    func hasSameOwners(as other: LogHead) -> Bool {
        epoch == other.epoch && ownerChanges == other.ownerChanges
    }
}

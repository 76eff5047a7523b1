/// The one row of `log_head`: the epoch of the log and the position of its last event.
struct LogHead: Equatable {
    var epoch: String
    var lastSeq: Int64
    /// Changes when sessions are removed.
    var sessionsRemoved: Int64 = 0

    init(epoch: String, lastSeq: Int64, sessionsRemoved: Int64 = 0) {
        self.epoch = epoch
        self.lastSeq = lastSeq
        self.sessionsRemoved = sessionsRemoved
    }

    /// Decodes a row of `WriterStatements.lockHead`.
    init(_ row: PQRow?) throws(PersistenceError) {
        guard let row else { throw PersistenceError(.malformedReply, "log_head has no row") }
        (epoch, lastSeq, sessionsRemoved) = try row.values()
    }

    /// The end of the log after a plan.
    func moved(by plan: BatchPlan) -> LogHead {
        var head = self
        if !plan.fresh.isEmpty { head.lastSeq = plan.lastSeq }
        return head
    }
}

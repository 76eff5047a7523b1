/// The row of `log_head`: where the log ends, and how much of it the rows of `sessions` hold.
struct LogHead: Equatable {
    var epoch: String
    var lastSeq: Int64
    /// All events up to here are folded into `sessions`.
    var foldedSeq: Int64
    /// Changes when sessions are removed on request.
    var sessionsRemoved: Int64

    init(epoch: String, lastSeq: Int64, foldedSeq: Int64 = 0, sessionsRemoved: Int64 = 0) {
        self.epoch = epoch
        self.lastSeq = lastSeq
        self.foldedSeq = foldedSeq
        self.sessionsRemoved = sessionsRemoved
    }

    /// A row of `WriterStatements.lockHead`.
    init(_ row: PQRow?) throws(PersistenceError) {
        guard let row else { throw PersistenceError(.malformedReply, "log_head has no row") }
        self.init(
            epoch: try row.text(0),
            lastSeq: try row.int64(1),
            foldedSeq: try row.int64(2),
            sessionsRemoved: try row.int64(3)
        )
    }

    /// Where the log ends after a plan; what is not planned stays.
    func moved(by plan: BatchPlan, foldedSeq: Int64) -> LogHead {
        var head = self
        if !plan.fresh.isEmpty { head.lastSeq = plan.lastSeq }
        head.foldedSeq = foldedSeq
        return head
    }
}

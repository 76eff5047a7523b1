import EventModel
import Sessions
import Testing

@testable import Persistence

@Suite struct SessionMemoryTests {
    private let start = Timestamp(microseconds: 1_700_000_000_000_000)

    /// A memory and the head of its log, batch by batch.
    private struct Log {
        var memory = SessionMemory()
        var head = LogHead(epoch: "e", lastSeq: 0)

        /// Commits a batch with one event of each session; returns the sessions whose rows went with it.
        mutating func commit(
            _ sessions: [String],
            machine: Int64 = 1,
            settling: Bool = false,
            at now: Timestamp
        ) -> [String] {
            let events = sessions.enumerated().map { index, session in
                makeEvent(
                    id: UInt64(head.lastSeq) * 1000 + UInt64(index),
                    machine: MachineID(rawValue: machine),
                    session: session,
                    at: now
                )
            }
            for id in memory.unknown(sessions) { memory.remember(id, stored: nil) }
            let snapshot = LogSnapshot(epoch: head.epoch, lastSeq: head.lastSeq)
            let plan = BatchPlan(events: events[...], snapshot: snapshot, sessions: memory)
            let work = BatchWork(plan, from: head, memory, TouchBook(), settling: settling, now: now)
            memory.committed(plan, writing: work.sessions, now: now)
            head = work.next
            return work.sessions.map(\.id)
        }
    }

    @Test func newSessionIsWrittenWithItsFirstEvent() {
        var log = Log()
        #expect(log.commit(["a", "b"], at: start) == ["a", "b"])
        #expect(log.head.foldedSeq == 2)
        #expect(!log.memory.hasUnwritten)
    }

    @Test func laterEventsAreWrittenAfterASecondWithWhateverBatchComes() {
        var log = Log()
        _ = log.commit(["a", "b"], at: start)
        #expect(log.commit(["a"], at: start) == [])
        #expect(log.commit(["b"], at: start.adding(seconds: 0.5)) == [])
        #expect(log.head.foldedSeq == 2)
        #expect(log.memory.secondsUntilDue(at: start.adding(seconds: 0.75)) == 0.25)
        #expect(log.commit(["c"], at: start.adding(seconds: 1)) == ["c", "a"])
        #expect(log.head.foldedSeq == 3)
        #expect(log.commit(["b"], at: start.adding(seconds: 1.5)) == ["b"])
        #expect(log.head.foldedSeq == log.head.lastSeq)
        #expect(!log.memory.hasUnwritten)
    }

    @Test func rowWrittenHoldsTheEventsOfItsOwnBatch() {
        var log = Log()
        _ = log.commit(["a"], at: start)
        _ = log.commit(["a"], at: start)
        #expect(log.commit(["a"], at: start.adding(seconds: 2)) == ["a"])
        #expect(log.head.foldedSeq == 3)
        #expect(log.memory["a"]?.fold.session?.toolCallCount == 3)
    }

    @Test func settlingWritesAll() {
        var log = Log()
        _ = log.commit(["a", "b"], at: start)
        _ = log.commit(["b", "a"], at: start)
        #expect(Set(log.commit(["b"], settling: true, at: start)) == ["a", "b"])
        #expect(log.head.foldedSeq == 5)
        #expect(log.commit([], settling: true, at: start) == [])
    }

    /// The reference to the machine is checked when the row is written: with the event that brought it.
    @Test func sessionThatChangesItsMachineIsWrittenAtOnce() {
        var log = Log()
        _ = log.commit(["a"], at: start)
        #expect(log.commit(["a"], machine: 2, at: start.adding(seconds: 0.1)) == ["a"])
        #expect(log.commit(["a"], machine: 2, at: start.adding(seconds: 0.2)) == [])
    }

    @Test func manyEventsDoNotWaitForTheSecond() {
        var log = Log()
        _ = log.commit(["a", "b"], at: start)
        _ = log.commit(["a"], at: start)
        let many = [String](repeating: "b", count: Int(SessionMemory.longestTail))
        #expect(log.commit(many, at: start) == ["a"])
    }

    @Test func clockSetBackDoesNotHoldRowsBack() {
        var log = Log()
        _ = log.commit(["a"], at: start)
        _ = log.commit(["a"], at: start)
        #expect(log.memory.secondsUntilDue(at: start.adding(seconds: -3600)) == 0)
        #expect(log.commit(["b"], at: start.adding(seconds: -3600)) == ["b", "a"])
        #expect(log.memory.secondsUntilDue(at: start) == nil)
    }

    @Test func oneBatchTakesABoundedNumberOfDueRows() {
        var log = Log()
        let sessions = (0..<SessionMemory.rowsPerBatch + 10).map { "s\($0)" }
        _ = log.commit(sessions, at: start)
        _ = log.commit(sessions, at: start)
        let later = start.adding(seconds: 2)
        #expect(log.commit(["s0"], at: later).count == SessionMemory.rowsPerBatch)
        #expect(log.head.foldedSeq == Int64(sessions.count + SessionMemory.rowsPerBatch))
        #expect(log.commit(["s0"], at: later).count == 10)
    }

    @Test func unusedSessionsAreForgottenAtTheBoundButNoneThatIsUnwritten() {
        var log = Log()
        _ = log.commit(["kept"], at: start)
        _ = log.commit(["kept"], at: start)
        for batch in 0..<9 { _ = log.commit((0..<1000).map { "s\(batch)-\($0)" }, at: start) }
        #expect(log.memory.count <= SessionMemory.capacity)
        #expect(log.memory["kept"]?.fold.session?.toolCallCount == 2)
        #expect(log.memory["s0-0"] == nil)
    }

    @Test func refoldingTakesOnlyWhatTheRowLacks() {
        var stored = SessionState(id: "a")
        stored.apply(CommittedEvent(seq: 5, event: makeEvent(id: 1, session: "a"), workspaceID: nil))
        var memory = SessionMemory()
        memory.remember("a", stored: stored)
        for seq in [4, 5, 6, 7] as [Int64] {
            let event = CommittedEvent(seq: seq, event: makeEvent(id: UInt64(seq), session: "a"), workspaceID: nil)
            memory.refold(event, at: start)
        }
        #expect(memory["a"]?.fold.session?.toolCallCount == 3)
        #expect(memory["a"]?.unwrittenFrom == 6)
    }

    @Test func abandonedSessionsAreReadAnew() {
        var log = Log()
        _ = log.commit(["a", "b"], at: start)
        _ = log.commit(["a"], at: start)
        #expect(log.memory.abandonUnwritten() == 1)
        #expect(!log.memory.hasUnwritten)
        #expect(log.memory.unknown(["a", "b"]) == ["a"])
    }
}

import EventModel
import Testing

@testable import EventIngest

@Suite("SpoolGate")
struct SpoolGateTests {
    private let now = Timestamp(microseconds: 10_000_000)
    private let error = SpoolError(.diskFull, "write", "/x")

    private func gate(_ steps: (inout SpoolGate) -> Void = { _ in }) -> SpoolGate {
        var gate = SpoolGate(byteLimit: 1000)
        gate.open(events: 0, bytes: 0, fileBytes: 0)
        steps(&gate)
        return gate
    }

    @Test("the decision for each state, with the database up and down")
    func decisions() {
        let refuse = SpoolGate.Decision.refuse(retryAfter: 2)
        let table: [(String, SpoolGate, up: SpoolGate.Decision, down: SpoolGate.Decision)] = [
            ("not open", SpoolGate(byteLimit: 1000), .database, refuse),
            ("empty", gate(), .database, .spool),
            ("being written", gate { _ = $0.admit(events: 1, bytes: 10, now: now) }, .spool, .spool),
            (
                "written, not replayed",
                gate {
                    _ = $0.admit(events: 1, bytes: 10, now: now)
                    $0.wrote(events: 1, bytes: 10)
                }, .spool, .spool
            ),
            (
                "replayed",
                gate {
                    _ = $0.admit(events: 1, bytes: 10, now: now)
                    $0.wrote(events: 1, bytes: 10)
                    $0.settled(events: 1, bytes: 10)
                }, .database, .spool
            ),
            (
                "replayed while another is being written",
                gate {
                    _ = $0.admit(events: 1, bytes: 10, now: now)
                    $0.wrote(events: 1, bytes: 10)
                    _ = $0.admit(events: 1, bytes: 10, now: now)
                    $0.settled(events: 1, bytes: 10)
                }, .spool, .spool
            ),
            (
                "write failed, nothing waits",
                gate {
                    _ = $0.admit(events: 1, bytes: 10, now: now)
                    $0.failed(events: 1, bytes: 10, error, at: now)
                }, .database, refuse
            ),
            (
                "write failed behind a backlog",
                gate {
                    $0.open(events: 1, bytes: 10, fileBytes: 34)
                    _ = $0.admit(events: 1, bytes: 10, now: now)
                    $0.failed(events: 1, bytes: 10, error, at: now)
                }, refuse, refuse
            ),
            (
                "refused at the bound",
                gate {
                    $0.open(events: 1, bytes: 900, fileBytes: 950)
                    _ = $0.admit(events: 1, bytes: 60, now: now)
                }, refuse, refuse
            ),
            ("found at the start", gate { $0.open(events: 3, bytes: 30, fileBytes: 54) }, .spool, .spool),
            ("stopped", gate { $0.close() }, .database, refuse),
        ]
        for (name, gate, up, down) in table {
            #expect(gate.decision(isWriterAvailable: true, now: now) == up, "\(name), up")
            #expect(gate.decision(isWriterAvailable: false, now: now) == down, "\(name), down")
        }
    }

    @Test("what is queued counts against the bound before it is written")
    func bound() {
        var gate = gate()
        let admission1 = gate.admit(events: 1, bytes: 600, now: now)
        #expect(admission1)
        let admission2 = gate.admit(events: 1, bytes: 401, now: now)
        #expect(!admission2)
        #expect(gate.isAtBound)
        gate.wrote(events: 1, bytes: 600)
        gate.settled(events: 1, bytes: 600)
        gate.removedFile(bytes: 600)
        #expect(!gate.isAtBound)
        let admission3 = gate.admit(events: 1, bytes: 1000, now: now)
        #expect(admission3)
    }

    @Test("after a failure the next attempt is let through when the pause is over, or there is room again")
    func pause() {
        var gate = gate()
        _ = gate.admit(events: 1, bytes: 10, now: now)
        gate.failed(events: 1, bytes: 10, error, at: now)
        let admission4 = gate.admit(events: 1, bytes: 10, now: now.adding(seconds: 0.9))
        #expect(!admission4)
        let admission5 = gate.admit(events: 1, bytes: 10, now: now.adding(seconds: 1))
        #expect(admission5)
        gate.failed(events: 1, bytes: 10, error, at: now)
        let admission6 = gate.admit(events: 1, bytes: 10, now: now.adding(seconds: -3600))
        #expect(admission6)
        gate.failed(events: 1, bytes: 10, error, at: now)
        gate.removedFile(bytes: 0)
        let admission7 = gate.admit(events: 1, bytes: 10, now: now)
        #expect(admission7)
        #expect(gate.failure == nil)
        gate.failed(events: 1, bytes: 10, error, at: now)
        #expect(gate.failure == error)
        let admission8 = gate.admit(events: 1, bytes: 10, now: now.adding(seconds: 1))
        #expect(admission8)
        gate.wrote(events: 1, bytes: 10)
        #expect(gate.failure == nil)
    }
}

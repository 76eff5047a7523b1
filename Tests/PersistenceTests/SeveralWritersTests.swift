import DatabaseSamples
import EventModel
import Sessions
import Synchronization
import Testing

@testable import Persistence

/// Several servers write to one log.
@Suite struct SeveralWritersTests {
    @Test func aBatchIsNotReadFirstAlthoughAnotherServerHasCommitted() throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let connections = [try database.connect(), try database.connect()]
        let sent = Mutex<[Int64]>([])
        let telling = BatchCommitter { batch in sent.withLock { $0 += batch.events.map(\.seq) } }
        var committers = [BatchCommitter(), telling]
        for id in 1...8 as ClosedRange<UInt64> {
            let number = Int(id) % 2
            let event = makeEvent(id: id, machine: machine, session: "session-\(number)")
            let plan = try committers[number].commit([event], on: connections[number])
            #expect(plan.placements == [.fresh(seq: Int64(id))] && plan.fresh.map(\.seq) == [Int64(id)])
        }
        // Its first batch read the end of the log. For the next one it expected no other server.
        #expect(sent.withLock { $0 } == [1, 2])
        #expect(try database.integers("SELECT seq FROM event_ids ORDER BY event_id") == Array(1...8))
        #expect(try database.integers("SELECT seq FROM events ORDER BY event_id") == Array(1...8))
        #expect(try database.integers("SELECT last_seq FROM log_head") == [8])
    }

    @Test func aSessionBelongsToTheServerThatWasFirstToBeginIt() throws {
        let database = try TestDatabase()
        let machines = [try database.makeMachine(), try database.makeMachine("other")]
        let connections = [try database.connect(), try database.connect()]
        var committers = [BatchCommitter(), BatchCommitter()]
        for number in [0, 1] {
            let event = makeEvent(id: UInt64(number), machine: machines[number], session: "own-\(number)")
            _ = try committers[number].commit([event], on: connections[number])
        }
        // The second one has looked and found nobody.
        let looking = makeEvent(id: 10, machine: machines[1], session: "shared", payload: [0x7B, 0xFF, 0x7D])
        #expect(throws: CommitFailure.self) { try committers[1].commit([looking], on: connections[1]) }
        let first = makeEvent(id: 11, machine: machines[0], session: "shared")
        _ = try committers[0].commit([first], on: connections[0])
        let second = makeEvent(id: 12, machine: machines[1], session: "shared")
        let plan = try committers[1].commit([second], on: connections[1])
        #expect(plan.fresh.map(\.event.sessionID) == [SessionOwnership.separateID("shared", on: machines[1])])
    }

    @Test func aSeparatedSessionThatAnotherServerHasBegunMeanwhileGoesOn() throws {
        let database = try TestDatabase()
        let machines = [try database.makeMachine(), try database.makeMachine("other")]
        let connections = [try database.connect(), try database.connect()]
        var committers = [BatchCommitter(), BatchCommitter()]
        for number in [0, 1] {
            let event = makeEvent(id: UInt64(number), machine: machines[0], session: "shared")
            _ = try committers[number].commit([event], on: connections[number])
        }
        // The second one has looked, and the other machine had no session of its own yet.
        let looking = makeEvent(id: 10, machine: machines[1], session: "shared", payload: [0x7B, 0xFF, 0x7D])
        #expect(throws: CommitFailure.self) { try committers[1].commit([looking], on: connections[1]) }
        for number in [0, 1] {
            let event = makeEvent(id: 11 + UInt64(number), machine: machines[1], session: "shared")
            let plan = try committers[number].commit([event], on: connections[number])
            #expect(plan.fresh.map(\.event.sessionID) == [SessionOwnership.separateID("shared", on: machines[1])])
        }
    }

    @Test func aDirectoryThatAnotherServerHasLearnedOfIsUsed() throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let connections = [try database.connect(), try database.connect()]
        var committers = [BatchCommitter(), BatchCommitter()]
        let start = systemNow()
        func commit(_ id: UInt64, by number: Int, at second: Double, in project: String) throws -> String? {
            let event = makeEvent(
                id: id,
                machine: machine,
                session: "moved",
                at: start.adding(seconds: second),
                project: project
            )
            return try committers[number].commit([event], on: connections[number]).fresh.first?.workspaceID
        }
        let late = WorkspaceID.make(machine: machine, path: "/late")
        let early = WorkspaceID.make(machine: machine, path: "/early")
        #expect(try commit(1, by: 0, at: 5, in: "/late") == late)
        #expect(try commit(2, by: 1, at: 6, in: "/late") == late)
        #expect(try commit(3, by: 0, at: 1, in: "/early") == early)
        #expect(try commit(4, by: 1, at: 7, in: "/late") == early)
    }

    @Test func aLostCommitIsNotTakenForThatOfAnotherServer() throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let connection = try database.connect()
        let now = systemNow()
        let events = [makeEvent(id: 1, machine: machine, at: now), makeEvent(id: 2, machine: machine, at: now)]
        var other = BatchCommitter()
        let theirs = try other.commit(events[...], on: connection)
        let planned = theirs.moved(to: 5)
        #expect(try BatchCommitter.find(planned, on: connection)?.fresh.map(\.seq) == [1, 2])
        var received = events
        for index in received.indices { received[index].receivedAt = now.adding(seconds: 0.001) }
        let ours = BatchPlan(
            events: received[...],
            snapshot: LogSnapshot(epoch: "e", lastSeq: 0),
            owners: SessionOwners()
        )
        #expect(try BatchCommitter.find(ours, on: connection) == nil)
    }
}

import DatabaseSamples
import EventModel
import Foundation
import Synchronization
import Testing

@testable import Persistence

@Suite struct EventWriterTests {
    @Test func appendedEventsAreRowsWhenTheyAreAnswered() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try WriterHarness(database.configuration)
        let outcomes = await harness.append((1...3).map { makeEvent(id: $0, machine: machine) })
        #expect(outcomes == [.accepted(seq: 1), .accepted(seq: 2), .accepted(seq: 3)])
        #expect(try database.integers("SELECT seq FROM events ORDER BY seq") == [1, 2, 3])
        #expect(try database.texts("SELECT payload FROM events LIMIT 1") == ["{}"])
        try waitUntilProjected(database.configuration)
        #expect(try database.integers("SELECT last_seq FROM sessions") == [3])
        #expect(try database.integers("SELECT tool_call_count FROM sessions") == [3])
        #expect(try database.texts("SELECT name FROM workspaces") == ["project"])
        #expect(try database.texts("SELECT reported_name FROM machines WHERE last_seen_at IS NOT NULL") == ["studio"])
        #expect(harness.committed.map(\.seq) == [1, 2, 3])
        #expect(harness.committed[0].workspaceID == WorkspaceID.make(machine: machine, path: "/home/dev/project"))
        harness.stop()
    }

    @Test func aBatchIsToldWhenItIsSentAndWhenItIsCommitted() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let diary = CommitDiary()
        let writer = EventWriter(
            configuration: database.configuration,
            logger: quiet,
            clock: systemNow,
            observers: [diary]
        )
        try writer.start()
        for events in [[1, 2], [2], [3]] as [[UInt64]] {
            await withCheckedContinuation { continuation in
                let events = events.map { makeEvent(id: $0, machine: machine) }
                if !writer.append(events, completion: { _ in continuation.resume() }) { continuation.resume() }
            }
        }
        writer.stop()
        // The second is known to be a duplicate only by its refusal.
        let expected = ["sent [1, 2]", "committed [1, 2]", "sent [3]", "sent [3]", "committed [3]"]
        #expect(diary.lines.withLock { $0.filter { $0 != "answered" } } == expected)
    }

    @Test func anEventIsStoredWhileThePartitionOfItsDayIsAttached() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try WriterHarness(database.configuration)
        let attaching = try database.connect()
        let attach = "SELECT create_event_partition((now() AT TIME ZONE 'UTC')::date)"
        _ = try attaching.query(Statement("begin", "BEGIN"))
        _ = try attaching.query(Statement("attach", attach))
        async let outcomes = harness.appendUntilAvailable([makeEvent(id: 1, machine: machine)])
        // The insert waits for the lock of the default partition.
        let waiting = """
            SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
            """
        for _ in 0..<1000 where try database.integers(waiting) == [0] { try await Task.sleep(for: .milliseconds(10)) }
        _ = try attaching.query(Statement("commit", "COMMIT"))
        #expect(await outcomes == [.accepted(seq: 1)])
        #expect(try database.integers("SELECT count(*) FROM events_default") == [0])
        harness.stop()
    }

    @Test func everyColumnHoldsWhatTheEventSays() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try WriterHarness(database.configuration)
        let payload = Array(#"{"text":"\\ud83d\ud800 \u0001 ünï","n":1.0}"#.utf8)
        var event = makeEvent(id: 1, machine: machine, session: nil, project: nil, tool: nil, payload: payload)
        event.hookEventName = nil
        event.timestamp = Timestamp(microseconds: 1_700_000_000_123_456)
        #expect(await harness.append([event]) == [.accepted(seq: 1)])
        harness.stop()
        let row = try #require(
            try database.connect().query(
                Statement(
                    "test",
                    """
                    SELECT event_id, type, hook_event_name, occurred_at, machine_id, machine_name, session_id,
                        workspace_id, project_path, tool_name, summary, payload FROM events
                    """
                )
            ).firstRow
        )
        #expect(try row.value() == event.id)
        #expect(try row.value(1) == "tool")
        #expect(try row.value(3) == event.timestamp)
        #expect(try row.value(4) == machine)
        #expect(try row.value(5) == "studio")
        for column in [2, 6, 7, 8, 9] { #expect(try row.value(column) == String?.none) }
        #expect(try row.value(10) == "summary 1")
        #expect(try row.value(11) == payload)
    }

    @Test func duplicatesGetTheSeqOfTheFirst() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try WriterHarness(database.configuration)
        let first = makeEvent(id: 1, machine: machine)
        #expect(await harness.append([first, first]) == [.accepted(seq: 1), .duplicate(seq: 1)])
        let second = makeEvent(id: 2, machine: machine)
        #expect(await harness.append([second, first]) == [.accepted(seq: 2), .duplicate(seq: 1)])
        #expect(await harness.append([first]) == [.duplicate(seq: 1)])
        #expect(harness.committed.map(\.seq) == [1, 2])
        harness.stop()
        #expect(try database.integers("SELECT tool_call_count FROM sessions") == [2])
    }

    @Test func poisonedEventsFailAlone() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try WriterHarness(database.configuration)
        var events = (1...20).map { makeEvent(id: $0, machine: machine) }
        events[7].payload = Array("{\"a\":\"\0\"}".utf8)
        events[13].payload = [0x7B, 0xFF, 0x7D]
        events[19].timestamp = Timestamp(microseconds: .min)
        let outcomes = await harness.append(events)
        for (index, outcome) in outcomes.enumerated() {
            switch outcome {
            case .rejected(let error):
                #expect([7, 13, 19].contains(index))
                #expect(error.isDataError)
            case .accepted: #expect(![7, 13, 19].contains(index))
            default: Issue.record("unexpected \(outcome)")
            }
        }
        #expect(outcomes.compactMap(\.seq) == Array(1...17))
        #expect(try database.integers("SELECT seq FROM events ORDER BY seq") == Array(1...17))
        #expect(harness.committed.map(\.seq) == Array(1...17))
        #expect(harness.writer.status.isAvailable)
        harness.stop()
    }

    @Test func eventsOfAnUnknownMachineFailAlone() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try WriterHarness(database.configuration)
        let stranger = makeEvent(id: 2, machine: MachineID(rawValue: 999), session: "other")
        let outcomes = await harness.append([makeEvent(id: 1, machine: machine), stranger])
        #expect(outcomes[0] == .accepted(seq: 1))
        guard case .rejected(let error) = outcomes[1] else {
            Issue.record("unexpected \(outcomes[1])")
            return
        }
        #expect(error.sqlState == SQLState("23503"))
        harness.stop()
    }

    @Test func twoWritersNumberDenselyAndInCommitOrder() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harnesses = [try WriterHarness(database.configuration), try WriterHarness(database.configuration)]
        await withTaskGroup(of: Void.self) { group in
            for (writer, harness) in harnesses.enumerated() {
                for request in 0..<60 {
                    group.addTask {
                        let base = UInt64(writer * 10_000 + request * 10)
                        let events = (0..<5).map {
                            makeEvent(id: base + $0, machine: machine, session: "session-\(request % 3)")
                        }
                        let outcomes = await harness.append(events)
                        #expect(outcomes.count == 5)
                        #expect(outcomes.allSatisfy { $0.seq != nil })
                    }
                }
            }
        }
        let all = harnesses.flatMap { $0.committed.map(\.seq) }.sorted()
        #expect(all == Array(1...600))
        for harness in harnesses {
            let seqs = harness.committed.map(\.seq)
            #expect(seqs == seqs.sorted())
            harness.stop()
        }
        #expect(try database.integers("SELECT seq FROM events ORDER BY seq") == all)
        #expect(try database.integers("SELECT sum(tool_call_count)::bigint FROM sessions") == [600])
        #expect(try database.integers("SELECT last_seq FROM log_head") == [600])
    }

    @Test func whatIsAppendedTogetherSharesACommitAndIsAnsweredTogether() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let diary = CommitDiary()
        let answers = Mutex<[Int64]>([])
        let writer = EventWriter(
            configuration: database.configuration,
            logger: quiet,
            clock: systemNow,
            observers: [diary]
        )
        try writer.start()
        while !writer.status.isAvailable { try await Task.sleep(for: .milliseconds(5)) }
        let requests = (1...40).map { id -> (events: [MonitorEvent], completion: @Sendable ([AppendOutcome]) -> Void) in
            (
                [makeEvent(id: UInt64(id), machine: machine)],
                { outcomes in
                    answers.withLock { $0 += outcomes.compactMap(\.seq) }
                    diary.lines.withLock { $0.append("completed") }
                }
            )
        }
        #expect(writer.append(requests) == 40)
        writer.stop()
        #expect(answers.withLock { $0 } == Array(1...40))
        let all = "\(Array(1...40) as [Int64])"
        let completions = Array(repeating: "completed", count: 40)
        #expect(diary.lines.withLock { $0 } == ["sent \(all)", "committed \(all)"] + completions + ["answered"])
    }

    @Test func fullMailboxRefusesAndKeepsNothing() async throws {
        let database = try TestDatabase(migrated: false)
        var configuration = database.configuration
        configuration.writerQueueBytes = 2_000
        let writer = EventWriter(configuration: configuration, logger: quiet, clock: systemNow, observers: [])
        let answers = Mutex(0)
        var taken = 0
        for id in 1...10
        where writer.append(
            [makeEvent(id: UInt64(id))],
            completion: { _ in
                answers.withLock { $0 += 1 }
            }
        ) {
            taken += 1
        }
        #expect(taken == 3)
        writer.stop()
        #expect(answers.withLock { $0 } == 3)
        #expect(!writer.append([makeEvent(id: 11)]) { _ in Issue.record("was not taken") })
    }

    @Test func stopCommitsWhatIsQueued() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try WriterHarness(database.configuration)
        let outcomes = Mutex<[AppendOutcome]>([])
        for id in 1...50 {
            #expect(
                harness.writer.append([makeEvent(id: UInt64(id), machine: machine)]) { answer in
                    outcomes.withLock { $0 += answer }
                }
            )
        }
        harness.stop()
        #expect(outcomes.withLock { $0.compactMap(\.seq) } == Array(1...50))
        #expect(try database.integers("SELECT count(*) FROM events") == [50])
    }
}

/// What a writer tells, in order.
private final class CommitDiary: CommitObserver {
    let lines = Mutex<[String]>([])

    func committing(_ batch: CommittedBatch) { lines.withLock { $0.append("sent \(batch.events.map(\.seq))") } }
    func committed(_ batch: CommittedBatch) { lines.withLock { $0.append("committed \(batch.events.map(\.seq))") } }
    func answered() { lines.withLock { $0.append("answered") } }
}

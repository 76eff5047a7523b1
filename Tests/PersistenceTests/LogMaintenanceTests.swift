import DatabaseSamples
import EventModel
import Foundation
import Testing

@testable import Persistence

@Suite struct LogMaintenanceTests {
    /// 2026-01-05T10:00:00Z.
    private let now = Timestamp(microseconds: 1_767_607_200_000_000)

    private func days(_ count: Double) -> Timestamp { now.adding(seconds: count * 86400) }

    private func partitions(_ database: TestDatabase) throws -> [String] {
        try database.texts("SELECT event_partition_name(day) FROM event_partition_days() AS day")
    }

    @Test func partitionsReachTwoDaysAhead() throws {
        let database = try TestDatabase()
        let maintenance = LogMaintenance(configuration: database.configuration, steps: [], logger: quiet)
        #expect(try maintenance.run(now: now).createdPartitions == 3)
        #expect(try partitions(database) == ["events_20260105", "events_20260106", "events_20260107"])
        #expect(try maintenance.run(now: now) == LogMaintenance.Report())
        let next = try maintenance.run(now: days(1))
        #expect((next.createdPartitions, next.releasedPartitions) == (1, 1))
    }

    @Test func aDayIsVacuumedWhenItIsOver() throws {
        let database = try TestDatabase()
        let maintenance = LogMaintenance(configuration: database.configuration, steps: [], logger: quiet)
        func postponed() throws -> [String] {
            try database.texts(
                "SELECT relname FROM pg_class WHERE relkind = 'r' "
                    + "AND reloptions @> ARRAY['autovacuum_vacuum_insert_threshold=-1'] ORDER BY 1"
            )
        }
        #expect(try maintenance.run(now: now).releasedPartitions == 0)
        #expect(try postponed() == ["events_20260105", "events_20260106", "events_20260107"])
        #expect(try maintenance.run(now: days(1)).releasedPartitions == 1)
        #expect(try postponed() == ["events_20260106", "events_20260107", "events_20260108"])
        let kept = "SELECT unnest(reloptions) FROM pg_class WHERE relname = 'events_20260105' ORDER BY 1"
        #expect(try database.texts(kept) == ["autovacuum_analyze_scale_factor=1", "autovacuum_freeze_min_age=0"])
    }

    @Test func partitionHasTheIndexesOfTheLogAndNoOthers() throws {
        let database = try TestDatabase()
        _ = try LogMaintenance(configuration: database.configuration, steps: [], logger: quiet).run(now: now)
        for partition in ["events_20260105", "events_default"] {
            let indexes = try database.texts(
                "SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = '\(partition)'::regclass ORDER BY 1"
            )
            #expect(indexes == ["seq", "session_id_seq", "workspace_id_seq"].map { "\(partition)_\($0)_idx" })
        }
    }

    @Test func eventsWithoutPartitionMoveIntoItWhenItIsMade() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let harness = try WriterHarness(database.configuration)
        let events = [
            makeEvent(id: 1, machine: machine, at: now), makeEvent(id: 2, machine: machine, at: days(-3)),
            makeEvent(id: 3, machine: machine, at: days(1)),
        ]
        #expect(await harness.append(events).compactMap(\.seq) == [1, 2, 3])
        _ = try LogMaintenance(configuration: database.configuration, steps: [], logger: quiet).run(now: now)
        #expect(try database.integers("SELECT seq FROM events_20260105") == [1])
        #expect(try database.integers("SELECT seq FROM events_20260106") == [3])
        #expect(try database.integers("SELECT seq FROM events_default") == [2])
        #expect(await harness.append([makeEvent(id: 4, machine: machine, at: now)]).first?.seq == 4)
        #expect(try database.integers("SELECT seq FROM events_20260105 ORDER BY seq") == [1, 4])
        harness.stop()
    }

    @Test func runThatNobodyWaitsForIsGivenUp() throws {
        let database = try TestDatabase()
        let other = try database.connect()
        try other.execute("BEGIN; LOCK TABLE event_counts IN ACCESS EXCLUSIVE MODE", as: "lock")
        let maintenance = LogMaintenance(configuration: database.configuration, steps: [], logger: quiet)
        // Not the lock's own time-out, which comes seconds later.
        let error = #expect(throws: PersistenceError.self) { try maintenance.run(now: now, shouldGiveUp: { true }) }
        #expect(error?.kind == .timedOut)
    }

    @Test func countsGoByTheirDay() throws {
        let database = try TestDatabase()
        var configuration = database.configuration
        configuration.retentionDays = 7
        for age in [9, 1] {
            try database.execute(
                "INSERT INTO event_counts VALUES (now() - interval '\(age) days', 1, '', '', 1, 0, 0, 0)"
            )
        }
        _ = try LogMaintenance(configuration: configuration, steps: [], logger: quiet).run(now: systemNow())
        #expect(try database.integers("SELECT count(*) FROM event_counts") == [1])
    }

    @Test func projectsThatNobodyTouchedGoWithTheirLastSession() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        var configuration = database.configuration
        configuration.retentionDays = 7
        let harness = try WriterHarness(configuration)
        let paths = ["/tmp/a", "/tmp/named", "/tmp/removed", "/tmp/kept"]
        let events = paths.enumerated().map { number, path in
            let time = path == "/tmp/kept" ? now : days(-9)
            return makeEvent(
                id: UInt64(number + 1),
                machine: machine,
                session: "s\(number)",
                at: time,
                project: path
            )
        }
        #expect(await harness.append(events).compactMap(\.seq).count == paths.count)
        let reader = try harness.makeReader(configuration)
        func id(_ path: String) -> String { WorkspaceID.make(machine: machine, path: path) }
        #expect(try await reader.changeWorkspace(id: id("/tmp/named"), name: "mine") != nil)
        #expect(try await reader.removeWorkspace(id: id("/tmp/removed")))
        reader.stop()
        harness.stop()
        _ = try LogMaintenance(configuration: configuration, steps: [], logger: quiet).run(now: now)
        #expect(try database.texts("SELECT id FROM sessions") == ["s3"])
        let left = try database.texts("SELECT path FROM workspaces ORDER BY path")
        #expect(left == ["/tmp/kept", "/tmp/named"])
    }

    @Test func expiredPartitionsGoWithTheirIdsAndSessions() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        var configuration = database.configuration
        configuration.retentionDays = 7
        let maintenance = LogMaintenance(configuration: configuration, steps: [], logger: quiet)
        _ = try maintenance.run(now: now)
        let harness = try WriterHarness(configuration)
        let events = [
            makeEvent(id: 1, machine: machine, session: "default", at: days(-3)),
            makeEvent(id: 2, machine: machine, session: "old", at: now),
            makeEvent(id: 3, machine: machine, session: "both", at: now),
            makeEvent(id: 4, machine: machine, session: "both", at: days(2)),
        ]
        #expect(await harness.append(events).count == 4)
        try waitUntilProjected(configuration)
        let kept = try maintenance.run(now: days(7.5))
        #expect(kept.droppedPartitions == 0)
        #expect(try database.integers("SELECT seq FROM events ORDER BY seq") == [2, 3, 4])
        let report = try maintenance.run(now: days(8))
        #expect(report.droppedPartitions == 1)
        #expect(report.deletedSessions == 1)
        #expect(try database.integers("SELECT seq FROM events") == [4])
        #expect(try database.integers("SELECT seq FROM event_ids") == [4])
        #expect(try database.texts("SELECT id FROM sessions") == ["both"])
        #expect(try partitions(database).first == "events_20260106")
        // The log goes on where it was.
        #expect(await harness.append([makeEvent(id: 5, machine: machine)]).first?.seq == 5)
        harness.stop()
    }

    @Test func onlyOneNodeMaintainsAtATime() throws {
        let database = try TestDatabase()
        let other = try database.connect()
        try other.execute("SELECT pg_advisory_lock(\(LogMaintenance.lockKey))", as: "lock")
        let maintenance = LogMaintenance(configuration: database.configuration, steps: [], logger: quiet)
        #expect(try maintenance.run(now: now).wasBusy)
        #expect(try partitions(database) == [])
    }

    @Test func workerMaintainsWhenItStarts() async throws {
        let database = try TestDatabase()
        let time = now
        let worker = MaintenanceWorker(configuration: database.configuration, steps: [], logger: quiet) { time }
        try worker.start()
        for _ in 0..<2000 {
            if try partitions(database).count >= 3 { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        worker.stop()
        #expect(try partitions(database).count == 3)
    }
}

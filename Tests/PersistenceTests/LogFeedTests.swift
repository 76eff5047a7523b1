import DatabaseSamples
import EventModel
import Synchronization
import Testing
import Workers

@testable import Persistence

/// What an observer was given.
private final class Recorder: LogObserver {
    let needsEvents: Bool
    private let passed = Mutex<[Int64]>([])
    private let skips = Mutex<[Int64]>([])

    init(needsEvents: Bool = true) { self.needsEvents = needsEvents }

    var seqs: [Int64] { passed.withLock { $0 } }
    var skipped: [Int64] { skips.withLock { $0 } }

    func logged(_ batch: CommittedBatch) { passed.withLock { $0 += batch.events.map(\.seq) } }
    func skipped(to position: StreamPosition) { skips.withLock { $0.append(position.seq) } }

    func wait(through seq: Int64) async -> Bool {
        for _ in 0..<2000 {
            if (seqs.last ?? 0) >= seq || (skipped.last ?? 0) >= seq { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}

/// A server with a writer and a feed, and without projections.
private final class FeedHarness: Sendable {
    let writer: EventWriter
    let feed: LogFeed
    let recorder: Recorder

    init(_ configuration: PersistenceConfiguration, needsEvents: Bool = true) throws {
        let recorder = Recorder(needsEvents: needsEvents)
        self.recorder = recorder
        let projectors = Projectors(configuration: configuration, clock: systemNow, logger: quiet)
        feed = LogFeed(
            configuration: configuration,
            clock: systemNow,
            logger: quiet,
            projectors: projectors,
            observers: [recorder]
        )
        writer = EventWriter(configuration: configuration, logger: quiet, clock: systemNow, observers: [feed])
        try feed.start()
        try writer.start()
    }

    func append(_ events: [MonitorEvent]) async -> [AppendOutcome] {
        await withCheckedContinuation { continuation in
            if !writer.append(events, completion: { continuation.resume(returning: $0) }) {
                continuation.resume(returning: [])
            }
        }
    }

    func stop() {
        writer.stop()
        feed.stop()
    }
}

@Suite struct LogFeedTests {
    @Test func eachServerIsGivenTheCommitsOfAllInOrder() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let servers = [try FeedHarness(database.configuration), try FeedHarness(database.configuration)]
        for server in servers { while !server.writer.status.isAvailable { await Task.yield() } }
        await withTaskGroup(of: Void.self) { group in
            for (number, server) in servers.enumerated() {
                for client in 0..<8 {
                    group.addTask {
                        for request in 0..<20 {
                            let base = UInt64(number * 100_000 + client * 1000 + request * 10)
                            let events = (0..<3).map { makeEvent(id: base + $0, machine: machine) }
                            #expect(await server.append(events).allSatisfy { $0.seq != nil })
                        }
                    }
                }
            }
        }
        for server in servers {
            #expect(await server.recorder.wait(through: 960))
            #expect(server.recorder.seqs == Array(1...960))
            server.stop()
        }
    }

    @Test func aServerThatCommitsNothingIsToldWithinAMoment() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let silent = try FeedHarness(database.configuration)
        #expect(await silent.recorder.wait(through: 0))
        let poster = try FeedHarness(database.configuration)
        while !poster.writer.status.isAvailable || !silent.writer.status.isAvailable { await Task.yield() }
        // The poster tells nothing before it has heard of the other server, which may take seconds.
        var posted: Int64 = 0
        let end = ContinuousClock.now + .seconds(20)
        while silent.recorder.seqs.isEmpty, ContinuousClock.now < end {
            posted += 1
            let event = makeEvent(id: UInt64(posted), machine: machine)
            #expect(await poster.append([event]) == [.accepted(seq: posted)])
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(await silent.recorder.wait(through: posted))
        #expect(silent.recorder.seqs == Array(1...posted))
        poster.stop()
        silent.stop()
    }

    @Test func aNoticeOfAnotherEpochIsIgnored() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let server = try FeedHarness(database.configuration)
        while !server.writer.status.isAvailable { await Task.yield() }
        #expect(await server.append([makeEvent(id: 1, machine: machine)]) == [.accepted(seq: 1)])
        let epoch = try #require(try database.texts("SELECT epoch FROM log_head").first)
        while try database.integers(
            "SELECT count(*) FROM pg_stat_activity WHERE query = 'LISTEN \(LogNotice.channel)' AND state = 'idle'"
                + " AND datname = current_database()"
        ) != [1] { await Task.yield() }
        var other = BatchCommitter()
        _ = try other.commit([makeEvent(id: 2, machine: machine)], on: try database.connect())
        for (epoch, seq) in [("before", 99), (epoch, 2)] as [(String, Int64)] {
            let notice = LogNotice.reached(StreamPosition(epoch: epoch, seq: seq), by: "other")
            try database.execute("SELECT pg_notify('\(LogNotice.channel)', '\(notice.payload)')")
        }
        #expect(await server.recorder.wait(through: 2))
        #expect(server.recorder.seqs == [1, 2] && !server.recorder.skipped.contains(99))
        server.stop()
    }

    @Test func eventsThatNobodyNeedsAreNotRead() async throws {
        let database = try TestDatabase()
        let machine = try database.makeMachine()
        let servers = [
            try FeedHarness(database.configuration, needsEvents: false), try FeedHarness(database.configuration),
        ]
        for id in 1...6 as ClosedRange<UInt64> {
            let outcomes = await servers[Int(id) % 2].append([makeEvent(id: id, machine: machine)])
            #expect(outcomes == [.accepted(seq: Int64(id))])
        }
        #expect(await servers[0].recorder.wait(through: 6))
        #expect(servers[0].recorder.seqs == [2, 4, 6])
        #expect(servers[0].recorder.skipped.isSubset(of: 0...5))
        for server in servers { server.stop() }
    }
}

extension [Int64] {
    fileprivate func isSubset(of range: ClosedRange<Int64>) -> Bool { allSatisfy(range.contains) }
}

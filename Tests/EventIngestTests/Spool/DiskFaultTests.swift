import EventModel
import Foundation
import Synchronization
import Testing

@testable import EventIngest

/// Calls that fail, each as often as it is told.
private final class FaultPlan: Sendable {
    private let plan = Mutex<[(call: DiskFaults.Call, errorNumber: Int32)]>([])

    func fail(_ calls: (DiskFaults.Call, Int32)...) {
        plan.withLock { $0 += calls.map { (call: $0.0, errorNumber: $0.1) } }
    }

    var faults: DiskFaults {
        DiskFaults { call in
            self.plan.withLock { plan in
                guard let index = plan.firstIndex(where: { $0.call == call }) else { return 0 }
                return plan.remove(at: index).errorNumber
            }
        }
    }
}

@Suite("Disk faults", .timeLimit(.minutes(5)))
struct DiskFaultTests {
    private let directory = TemporaryDirectory()
    private let plan = FaultPlan()
    private let events = (1...4).map { Samples.event($0) }

    private func started(_ store: FakeStore) throws -> EventSpool {
        var configuration = SpoolConfiguration(directory: directory.spool)
        configuration.retryMilliseconds = 5
        configuration.faults = plan.faults
        let clock = Ticking()
        let spool = EventSpool(configuration: configuration, logger: Samples.logger, clock: { clock.next() })
        try spool.start(replayInto: store.sink)
        return spool
    }

    @Test("after a failed fsync the segment is left at what was durable, and the next write begins another")
    func failedSync() async throws {
        let store = FakeStore(isUp: false)
        let spool = try started(store)
        #expect(await spool.append([events[0]]) == .durable)
        let before = directory.bytes("00000001.seg")
        plan.fail((.sync, EIO))
        let outcome = await spool.append([events[1]])
        guard case .failed(let error)? = outcome else { return #expect(Bool(false), "\(String(describing: outcome))") }
        #expect(error.code == EIO)
        #expect(spool.status.state == .failed(error.description))
        #expect(spool.status.events == 1)
        #expect(directory.bytes("00000001.seg") == before)
        #expect(await spool.append([events[2]]) == .durable)
        #expect(spool.status.state == .ready)
        #expect(directory.bytes("00000001.seg") == before)
        #expect(directory.names() == ["00000001.seg", "00000002.seg"])
        spool.stop()
        let again = try started(store)
        defer { again.stop() }
        store.set(isUp: true)
        #expect(await eventually { directory.names().isEmpty })
        #expect(store.committed == [events[0].id, events[2].id])
    }

    @Test("if the tail cannot be cut off either, it is not replayed in this run")
    func failedSyncAndTruncate() async throws {
        let store = FakeStore(isUp: false)
        let spool = try started(store)
        defer { spool.stop() }
        #expect(await spool.append([events[0]]) == .durable)
        plan.fail((.sync, EIO), (.truncate, EIO))
        #expect(await spool.append([events[1]]) != .durable)
        #expect(await spool.append([events[2]]) == .durable)
        store.set(isUp: true)
        #expect(await eventually { directory.names().isEmpty })
        #expect(store.committed == [events[0].id, events[2].id])
    }

    @Test("a new segment whose name is not durable is not believed")
    func failedDirectorySync() async throws {
        let store = FakeStore(isUp: false)
        let spool = try started(store)
        defer { spool.stop() }
        plan.fail((.syncDirectory, EIO))
        #expect(await spool.append([events[0]]) != .durable)
        #expect(directory.names().isEmpty)
        #expect(await spool.append([events[0]]) == .durable)
        #expect(directory.names() == ["00000002.seg"])
    }

    @Test("a failed write leaves the segment in use; a disk that cannot undo it does not")
    func failedWrite() async throws {
        let store = FakeStore(isUp: false)
        let spool = try started(store)
        defer { spool.stop() }
        #expect(await spool.append([events[0]]) == .durable)
        plan.fail((.write, ENOSPC))
        guard case .failed(let error)? = await spool.append([events[1]]) else { return #expect(Bool(false)) }
        #expect(error.kind == .diskFull)
        #expect(await spool.append([events[1]]) == .durable)
        #expect(directory.names() == ["00000001.seg"])
        plan.fail((.write, EROFS), (.truncate, EROFS))
        #expect(await spool.append([events[2]]) != .durable)
        #expect(await spool.append([events[2]]) == .durable)
        #expect(directory.names() == ["00000001.seg", "00000002.seg"])
        store.set(isUp: true)
        #expect(await eventually { directory.names().isEmpty })
        #expect(store.committed == events[..<3].map(\.id))
    }

    @Test("a disk that is full: what was acknowledged is there, and replaying makes room", .enabled(if: getuid() == 0))
    func fullDisk() async throws {
        let mount = directory.path + "/small"
        try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: true)
        let mounted = run("/bin/mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", mount)
        guard mounted else { return }
        defer { _ = run("/bin/umount", "-l", mount) }
        let store = FakeStore(isUp: false)
        var configuration = SpoolConfiguration(directory: mount + "/spool")
        configuration.segmentBytes = 64 << 10
        configuration.retryMilliseconds = 5
        let clock = StandingClock()
        let spool = EventSpool(configuration: configuration, logger: Samples.logger, clock: { clock.now() })
        try spool.start(replayInto: store.sink)
        var kept: [EventID] = []
        var failure: SpoolError?
        for number in 1...1000 where failure == nil {
            let event = Samples.event(number, payloadBytes: 10_000)
            switch await spool.append([event]) {
            case .durable?: kept.append(event.id)
            case .failed(let error)?: failure = error
            case .notNeeded?, nil: break
            }
        }
        #expect(failure?.kind == .diskFull)
        #expect(kept.count > 10)
        #expect(spool.status.events == kept.count)
        #expect(spool.decision(isWriterAvailable: false) == .refuse(retryAfter: 2))
        clock.start()
        store.set(isUp: true)
        #expect(await eventually { spool.status.events == 0 })
        #expect(store.committed == kept)
        #expect(await spool.append([Samples.event(2000)]) == .durable)
        spool.stop()
    }

    private func run(_ program: String, _ arguments: String...) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}

/// No time passes until it starts: the pause after a failed write lasts as long as the test looks at it.
private final class StandingClock: Sendable {
    private let standing = Mutex<Timestamp?>(Samples.clock())

    func now() -> Timestamp { standing.withLock { $0 } ?? Samples.clock() }

    func start() { standing.withLock { $0 = nil } }
}

/// Two seconds pass between any two looks: every pause is over.
private final class Ticking: Sendable {
    private let seconds = Mutex<Int64>(0)

    func next() -> Timestamp {
        seconds.withLock { seconds in
            seconds += 2
            return Timestamp(microseconds: seconds * 1_000_000)
        }
    }
}

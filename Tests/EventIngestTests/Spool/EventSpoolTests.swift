import EventModel
import Foundation
import JSON
import Testing

@testable import EventIngest

@Suite("EventSpool", .timeLimit(.minutes(5)))
struct EventSpoolTests {
    private let directory = TemporaryDirectory()

    @Test("what was spooled is committed in order when the database is back, and the directory is empty then")
    func replay() async throws {
        let store = FakeStore(isUp: false)
        let spool = try EventSpool.started(directory, store: store) { $0.batchEvents = 3 }
        defer { spool.stop() }
        let events = (1...10).map { Samples.event($0) }
        for event in events { #expect(await spool.append([event]) == .durable) }
        #expect(spool.status.events == 10)
        #expect(spool.status.oldestWaiting == events[0].receivedAt)
        #expect(store.committed.isEmpty)
        #expect(directory.names() == ["00000001.seg"])
        store.set(isUp: true)
        #expect(await eventually { spool.status.events == 0 && spool.status.fileBytes == 0 })
        #expect(directory.names().isEmpty)
        #expect(store.committed == events.map(\.id))
        #expect(store.batches.reduce(0, +) == 10)
        #expect(store.batches.allSatisfy { $0 <= 3 })
        #expect(spool.status.bytes == 0)
        #expect(spool.status.oldestWaiting == nil)
        #expect(spool.status.counts == .init(spooled: 10, replayed: 10, rejected: 0, damagedSegments: 0))
        #expect(spool.decision(isWriterAvailable: true) == .database)
    }

    @Test("a stream of posts that never ends does not keep the backlog from draining, nor from the switch")
    func drainUnderLoad() async throws {
        let store = FakeStore(isUp: false)
        let spool = try EventSpool.started(directory, store: store) {
            $0.batchEvents = 20
            $0.segmentBytes = 50_000
        }
        defer { spool.stop() }
        let isDone = Flag()
        await withTaskGroup(of: Void.self) { group in
            for machine in 1...16 {
                group.addTask {
                    var number = 0
                    while !isDone.isSet {
                        number += 1
                        let event = Samples.event(number, machine: Int64(machine))
                        guard spool.decision(isWriterAvailable: store.isUp) == .spool else {
                            try? await Task.sleep(for: .milliseconds(1))
                            continue
                        }
                        _ = await spool.append([event])
                    }
                }
            }
            _ = await eventually { spool.status.counts.spooled > 500 }
            store.set(isUp: true)
            let isEmpty = await eventually { spool.decision(isWriterAvailable: true) == .database }
            #expect(isEmpty)
            isDone.set()
        }
        #expect(await eventually { spool.status.events == 0 })
        #expect(Int64(store.committed.count) == spool.status.counts.spooled)
    }

    @Test("files and directory are for their owner alone")
    func modes() async throws {
        let spool = try EventSpool.started(directory)
        #expect(await spool.append([Samples.event(1)]) == .durable)
        spool.stop()
        func mode(_ path: String) throws -> Int {
            try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
        }
        #expect(try mode(directory.spool) == 0o700)
        #expect(try mode(directory.spool + "/00000001.seg") == 0o600)
    }

    @Test("a new segment is begun at the limit, and each goes as soon as it is replayed")
    func roll() async throws {
        let store = FakeStore(isUp: false)
        let spool = try EventSpool.started(directory, store: store) {
            $0.segmentBytes = 4000
            $0.batchEvents = 2
        }
        defer { spool.stop() }
        let events = (1...12).map { Samples.event($0, payloadBytes: 1500) }
        for event in events { #expect(await spool.append([event]) == .durable) }
        #expect(directory.names().count >= 6)
        for name in directory.names() { #expect(directory.bytes(name).count <= 4000) }
        store.set(isUp: true)
        #expect(await eventually { directory.names().isEmpty })
        #expect(store.committed == events.map(\.id))
    }

    @Test("an event larger than a batch and a segment is kept and replayed")
    func large() async throws {
        let store = FakeStore(isUp: false)
        let spool = try EventSpool.started(directory, store: store) {
            $0.segmentBytes = 4096
            $0.batchBytes = 1000
        }
        defer { spool.stop() }
        let events = [Samples.event(1), Samples.event(2, payloadBytes: 50_000), Samples.event(3)]
        #expect(await spool.append(events) == .durable)
        store.set(isUp: true)
        #expect(await eventually { spool.status.events == 0 })
        #expect(store.committed == events.map(\.id))
    }

    @Test("at its bound it takes nothing until a segment is replayed")
    func bound() async throws {
        let store = FakeStore(isUp: false)
        let spool = try EventSpool.started(directory, store: store) {
            $0.byteLimit = 20_000
            $0.segmentBytes = 5000
        }
        defer { spool.stop() }
        var kept: [EventID] = []
        for number in 1...100 {
            let event = Samples.event(number, payloadBytes: 1000)
            guard await spool.append([event]) == .durable else { break }
            kept.append(event.id)
        }
        #expect((8..<20).contains(kept.count))
        #expect(spool.status.state == .full)
        #expect(spool.decision(isWriterAvailable: false) == .refuse(retryAfter: 2))
        #expect(directory.names().reduce(0) { $0 + directory.bytes($1).count } <= 20_000)
        #expect(spool.status.fileBytes == directory.names().reduce(0) { $0 + directory.bytes($1).count })
        store.set(isUp: true)
        #expect(await eventually { spool.status.state == .ready && spool.status.events == 0 })
        #expect(store.committed == kept)
        #expect(await spool.append([Samples.event(200)]) == .durable)
    }

    @Test("a backlog survives a restart and is replayed from the beginning of its segment")
    func restart() async throws {
        let store = FakeStore(isUp: false)
        let events = (1...6).map { Samples.event($0) }
        let first = try EventSpool.started(directory, store: store) { $0.batchEvents = 2 }
        for event in events[..<4] { #expect(await first.append([event]) == .durable) }
        store.loseConnection(after: 1)
        store.set(isUp: true)
        #expect(await eventually { !store.committed.isEmpty })
        store.set(isUp: false)
        first.stop()
        let second = try EventSpool.started(directory, store: store)
        defer { second.stop() }
        #expect(second.decision(isWriterAvailable: true) == .spool || store.committed.count == 4)
        for event in events[4...] { #expect(await second.append([event]) == .durable) }
        store.set(isUp: true)
        #expect(await eventually { second.status.events == 0 })
        #expect(store.committed == events.map(\.id))
    }

    @Test("a batch that is committed in part goes on where it stopped")
    func partial() async throws {
        let store = FakeStore(isUp: false)
        let spool = try EventSpool.started(directory, store: store)
        defer { spool.stop() }
        let events = (1...9).map { Samples.event($0) }
        #expect(await spool.append(events) == .durable)
        store.loseConnection(after: 4)
        store.set(isUp: true)
        #expect(await eventually { spool.status.events == 0 })
        #expect(store.committed == events.map(\.id))
        #expect(store.batches == [9, 5])
    }

    @Test("what the database refuses for good is put aside and does not hold up the rest")
    func rejected() async throws {
        let store = FakeStore(isUp: false)
        let spool = try EventSpool.started(directory, store: store)
        defer { spool.stop() }
        let events = (1...5).map { Samples.event($0) }
        #expect(await spool.append(events) == .durable)
        store.refuse([events[1].id, events[4].id])
        store.set(isUp: true)
        #expect(await eventually { directory.names() == ["rejected.ndjson"] })
        #expect(store.committed == [events[0], events[2], events[3]].map(\.id))
        let file = directory.bytes("rejected.ndjson")
        #expect(spool.status.counts == .init(spooled: 5, replayed: 3, rejected: 2, rejectedBytes: Int64(file.count)))
        let lines = try file.split(separator: 0x0A).map { try JSONValue.parse(Array($0)) }
        #expect(lines.compactMap { $0["event_id"]?.string } == [events[1], events[4]].map(\.id.description))
        #expect(lines[0]["reason"]?.string == "refused")
        #expect(lines[0]["payload"]?.string == String(decoding: events[1].payload, as: UTF8.self))
        #expect(await eventually { spool.status.fileBytes == file.count })
    }

    @Test("the side file of what was refused does not grow beyond its bound")
    func rejectedBound() async throws {
        let store = FakeStore(isUp: false)
        let spool = try EventSpool.started(directory, store: store) { $0.rejectedBytes = 3000 }
        defer { spool.stop() }
        let events = (1...20).map { Samples.event($0) }
        store.refuse(events.map(\.id))
        for event in events { #expect(await spool.append([event]) == .durable) }
        store.set(isUp: true)
        #expect(await eventually { spool.status.events == 0 })
        #expect(spool.status.counts.rejected == 20)
        #expect((1...3000).contains(directory.bytes("rejected.ndjson").count))
    }

    @Test("a second server is kept out of the directory")
    func inUse() throws {
        let spool = try EventSpool.started(directory)
        #expect(throws: SpoolError(.inUse, "lock", directory.spool)) { try EventSpool.started(directory) }
        spool.stop()
    }

    @Test("what is queued at the stop is written, and nothing is taken after it")
    func stop() async throws {
        let spool = try EventSpool.started(directory)
        async let outcomes = withTaskGroup(of: SpoolOutcome?.self) { group in
            for number in 1...50 { group.addTask { await spool.append([Samples.event(number)]) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(await eventually { spool.status.counts.spooled > 0 })
        spool.stop()
        let durable = await outcomes.filter { $0 == .durable }.count
        #expect(await spool.append([Samples.event(51)]) == nil)
        let again = try EventSpool.started(directory)
        #expect(again.status.events == durable)
        again.stop()
    }
}

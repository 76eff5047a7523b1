import EventModel
import Foundation
import Testing

@testable import EventIngest

@Suite("SpoolRecovery", .timeLimit(.minutes(5)))
struct SpoolRecoveryTests {
    private let directory = TemporaryDirectory()
    private let events = (1...3).map { Samples.event($0) }

    private func segment(_ events: [MonitorEvent], from sequence: UInt64) -> [UInt8] {
        var bytes = SegmentFormat.header(firstSequence: sequence)
        for (index, event) in events.enumerated() {
            bytes += SegmentFormat.record(EventCodec.encode(event), sequence: sequence + UInt64(index))
        }
        return bytes
    }

    @Test("a torn tail of the newest segment is cut off, and the sequence goes on")
    func tornTail() async throws {
        let whole = segment(Array(events[..<2]), from: 1)
        try directory.write(whole + segment([events[2]], from: 3)[24...].dropLast(5), "00000004.seg")
        let store = FakeStore(isUp: false)
        let spool = try EventSpool.started(directory, store: store)
        defer { spool.stop() }
        #expect(spool.status.events == 2)
        #expect(spool.status.counts.damagedSegments == 0)
        #expect(directory.bytes("00000004.seg") == whole)
        #expect(await spool.append([events[2]]) == .durable)
        #expect(directory.bytes("00000005.seg") == segment([events[2]], from: 3))
        store.set(isUp: true)
        #expect(await eventually { directory.names().isEmpty })
        #expect(store.committed == events.map(\.id))
    }

    @Test("a damaged record ends its segment, which is kept; the next segments are replayed all the same")
    func damaged() async throws {
        var bytes = segment(Array(events[..<2]), from: 1)
        bytes[bytes.count - 3] ^= 0x40
        try directory.write(bytes, "00000001.seg")
        try directory.write(segment([events[2]], from: 3), "00000002.seg")
        let store = FakeStore()
        let spool = try EventSpool.started(directory, store: store)
        #expect(await eventually { directory.names() == ["00000001.damaged"] })
        #expect(store.committed == [events[0].id, events[2].id])
        #expect(directory.bytes("00000001.damaged") == bytes)
        #expect(await eventually { spool.status.counts.damagedSegments == 1 })
        #expect(await eventually { spool.status.fileBytes == bytes.count })
        spool.stop()
        let again = try EventSpool.started(directory)
        #expect(again.status.counts.damagedSegments == 1)
        #expect(await again.append([events[0]]) == .durable)
        #expect(directory.names() == ["00000001.damaged", "00000002.seg"])
        again.stop()
    }

    @Test("files that were set aside and then removed are not counted any more, without a restart")
    func removedSideFiles() async throws {
        try directory.write([1, 2, 3], "00000001.damaged")
        try directory.write(Array("{}\n".utf8), "rejected.ndjson")
        var configuration = SpoolConfiguration(directory: directory.spool)
        configuration.sideFileMilliseconds = 10
        let spool = EventSpool(configuration: configuration, logger: Samples.logger, clock: Samples.clock)
        try spool.start { _, _ in false }
        defer { spool.stop() }
        #expect(spool.status.fileBytes == 6)
        #expect(spool.status.counts.damagedSegments == 1)
        #expect(spool.status.counts.rejectedBytes == 3)
        try FileManager.default.removeItem(atPath: directory.spool + "/00000001.damaged")
        #expect(await eventually { spool.status.fileBytes == 3 && spool.status.counts.damagedSegments == 0 })
        try FileManager.default.removeItem(atPath: directory.spool + "/rejected.ndjson")
        #expect(await eventually { spool.status.fileBytes == 0 && spool.status.counts.rejectedBytes == 0 })
    }

    @Test("a tail torn off an older segment is damage: it was complete once")
    func olderTorn() async throws {
        try directory.write(segment(Array(events[..<2]), from: 1).dropLast(5), "00000001.seg")
        try directory.write(segment([events[2]], from: 3), "00000002.seg")
        let store = FakeStore()
        let spool = try EventSpool.started(directory, store: store)
        defer { spool.stop() }
        #expect(await eventually { directory.names() == ["00000001.damaged"] })
        #expect(store.committed == [events[0].id, events[2].id])
    }

    @Test("without a sound header a segment is set aside at once; one never begun is removed")
    func headers() throws {
        try directory.write(Array(repeating: 7, count: 100), "00000001.seg")
        try directory.write(Array(segment([], from: 1).dropLast()), "00000002.seg")
        let spool = try EventSpool.started(directory)
        defer { spool.stop() }
        #expect(directory.names() == ["00000001.damaged"])
        #expect(spool.status.events == 0)
    }

    @Test("damage that comes while the spool runs is found when it is read")
    func damagedLater() async throws {
        let store = FakeStore(isUp: false)
        let spool = try EventSpool.started(directory, store: store) { $0.batchEvents = 1 }
        defer { spool.stop() }
        #expect(await spool.append(events) == .durable)
        #expect(await spool.append([Samples.event(9)]) == .durable)
        let handle = try #require(FileHandle(forUpdatingAtPath: directory.spool + "/00000001.seg"))
        try handle.seek(toOffset: UInt64(segment([events[0]], from: 1).count + 30))
        try handle.write(contentsOf: [0xFF, 0x00, 0xFF])
        try handle.close()
        store.set(isUp: true)
        #expect(await eventually { spool.status.events == 0 })
        #expect(store.committed == [events[0].id])
        #expect(await eventually { spool.status.counts.damagedSegments == 1 })
        #expect(directory.names() == ["00000001.damaged"])
        #expect(await spool.append([Samples.event(10)]) == .durable)
        #expect(await eventually { store.committed.count == 2 })
    }

    @Test("a segment of a newer version stops the start and is not touched")
    func newer() throws {
        var writer = FieldWriter(reserving: 24)
        for byte in "CCMSPOOL".utf8 { writer.integer(byte) }
        writer.integer(UInt32(2))
        writer.integer(UInt64(1))
        writer.integer(CRC32C.of(writer.bytes[...]))
        try directory.write(writer.bytes, "00000001.seg")
        #expect(throws: SpoolError.self) { try EventSpool.started(directory) }
        #expect(directory.bytes("00000001.seg") == writer.bytes)
    }

    @Test("other files in the directory are left alone")
    func strangers() throws {
        for name in ["notes", "1.seg", "0000000x.seg", "00000001.seg.old"] { try directory.write([1], name) }
        let spool = try EventSpool.started(directory)
        spool.stop()
        #expect(directory.names() == ["00000001.seg.old", "0000000x.seg", "1.seg", "notes"])
    }
}

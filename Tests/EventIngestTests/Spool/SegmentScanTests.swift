import EventModel
import Testing

@testable import EventIngest

@Suite("SegmentScan")
struct SegmentScanTests {
    private let events = [Samples.event(1), Samples.event(2)]
    private let file: [UInt8]
    private let ends: [Int]

    init() {
        var file = SegmentFormat.header(firstSequence: 41)
        var ends = [file.count]
        for (index, event) in events.enumerated() {
            file += SegmentFormat.record(EventCodec.encode(event), sequence: 41 + UInt64(index))
            ends.append(file.count)
        }
        self.file = file
        self.ends = ends
    }

    @Test("a whole file")
    func whole() {
        let scan = SegmentScan(file)
        #expect(scan.ending == .clean)
        #expect(scan.firstSequence == 41)
        #expect(scan.events == 2)
        #expect(scan.end == file.count)
        #expect(scan.firstPayload.flatMap(EventCodec.decode) == events[0])
    }

    @Test("cut anywhere, what is complete counts and the rest is torn")
    func cut() {
        for length in 0..<file.count {
            let scan = SegmentScan(Array(file[..<length]))
            let complete = ends.filter { $0 <= length }.count - 1
            #expect(scan.events == max(0, complete), "cut at \(length)")
            #expect(scan.ending == (ends.contains(length) ? .clean : .torn), "cut at \(length)")
        }
    }

    @Test("one flipped bit anywhere is damage, and ends what counts before it")
    func flipped() {
        for index in file.indices {
            for bit in 0..<8 {
                var damaged = file
                damaged[index] ^= 1 << UInt8(bit)
                let scan = SegmentScan(damaged)
                #expect(scan.ending == .damaged, "bit \(bit) of byte \(index)")
                #expect(scan.events == max(0, ends.filter { $0 <= index }.count - 1), "bit \(bit) of byte \(index)")
            }
        }
    }

    @Test("zeros after the last record are a tail that never reached the disk")
    func zeros() {
        let scan = SegmentScan(file + [UInt8](repeating: 0, count: 4096))
        #expect(scan.ending == .torn)
        #expect(scan.events == 2)
        #expect(SegmentScan([UInt8](repeating: 0, count: 4096)).ending == .torn)
    }

    @Test("a record of another place does not count")
    func sequence() {
        let stray = SegmentFormat.record(EventCodec.encode(events[0]), sequence: 44)
        let scan = SegmentScan(file + stray)
        #expect(scan.ending == .damaged)
        #expect(scan.events == 2)
    }

    @Test("a newer format is told from damage")
    func newer() {
        var writer = FieldWriter(reserving: 24)
        for byte in "CCMSPOOL".utf8 { writer.integer(byte) }
        writer.integer(UInt32(2))
        writer.integer(UInt64(1))
        writer.integer(CRC32C.of(writer.bytes[...]))
        #expect(SegmentScan(writer.bytes).ending == .otherVersion(2))
    }
}

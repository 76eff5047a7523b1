/// The result of scanning a whole segment.
struct SegmentScan: Equatable {
    enum Ending: Equatable {
        case clean
        case torn
        case damaged
        case otherVersion(UInt32)
    }

    /// 0 if the header is invalid.
    var firstSequence: UInt64 = 0
    var events = 0
    /// The position of the first invalid byte.
    var end = 0
    var ending = Ending.clean
    /// The payload of the first valid record.
    var firstPayload: ArraySlice<UInt8>?

    init(_ file: [UInt8]) {
        switch SegmentFormat.readHeader(file[...]) {
        case .torn: ending = .torn
        case .damaged: ending = .damaged
        case .otherVersion(let version): ending = .otherVersion(version)
        case .sound(let firstSequence):
            self.firstSequence = firstSequence
            end = SegmentFormat.headerBytes
            readRecords(file)
        }
    }

    private mutating func readRecords(_ file: [UInt8]) {
        while end < file.count {
            switch SegmentFormat.readRecord(file[end...], sequence: firstSequence &+ UInt64(events)) {
            case .sound(let payload):
                if events == 0 { firstPayload = payload }
                events += 1
                end = payload.endIndex
            case .incomplete:
                ending = .torn
                return
            case .damaged:
                ending = file[end...].contains { $0 != 0 } ? .damaged : .torn
                return
            }
        }
    }
}

internal import EventModel
internal import Logging

/// At startup, scans the files that an earlier run left. Nothing else may use the directory during the scan.
struct SpoolRecovery {
    var backlog = SegmentQueue()
    var nextNumber = 1
    var nextSequence: UInt64 = 1
    /// Total of all files, including side files.
    var fileBytes = 0
    /// The part of `fileBytes` that is not replayed.
    var sideFileBytes = 0
    var rejectedBytes = 0
    var damagedSegments = 0
    var oldestWaiting: Timestamp?
    private let directory: SpoolDirectory
    private let logger: Logger

    init(_ directory: SpoolDirectory, logger: Logger) throws(SpoolError) {
        self.directory = directory
        self.logger = logger
        let listing = try directory.list()
        let sideFiles = try SideFiles(in: directory)
        (damagedSegments, rejectedBytes) = (sideFiles.damaged, sideFiles.rejectedBytes)
        (sideFileBytes, fileBytes) = (sideFiles.bytes, sideFiles.bytes)
        nextNumber = max(listing.segments.last ?? 0, listing.damaged.last ?? 0) + 1
        for number in listing.segments {
            try recover(number, isNewest: number == listing.segments.last)
        }
    }

    var events: Int { backlog.segments.reduce(0) { $0 + $1.events } }
    var recordBytes: Int { backlog.segments.reduce(0) { $0 + $1.end - SegmentFormat.headerBytes } }

    private mutating func recover(_ number: Int, isNewest: Bool) throws(SpoolError) {
        let path = directory.segmentPath(number)
        let file = try SpoolFile(changing: path, faults: directory.faults)
        let size = try file.size()
        let scan = SegmentScan(try file.read(at: 0, limit: size))
        if case .otherVersion = scan.ending { throw SpoolError(.otherVersion, "open", path) }
        let isDamaged = scan.ending == .damaged || (scan.ending == .torn && !isNewest)
        nextSequence = max(nextSequence, scan.firstSequence &+ UInt64(scan.events))
        if scan.events == 0 {
            return isDamaged ? try setAside(number, bytes: size) : try directory.remove(number)
        }
        if isDamaged {
            logger.error("a segment of the spool is damaged", metadata: fields(number, scan, size))
        } else if scan.ending == .torn {
            logger.notice("a record that was never finished is cut off", metadata: fields(number, scan, size))
            try file.truncate(to: scan.end)
            try file.sync()
        }
        if oldestWaiting == nil { oldestWaiting = scan.firstPayload.flatMap(EventCodec.decode)?.receivedAt }
        let bytes = isDamaged ? size : scan.end
        fileBytes += bytes
        backlog.add(
            SegmentQueue.Segment(
                number: number,
                firstSequence: scan.firstSequence,
                end: scan.end,
                events: scan.events,
                isDamaged: isDamaged,
                fileBytes: bytes
            )
        )
    }

    private mutating func setAside(_ number: Int, bytes: Int) throws(SpoolError) {
        try directory.setAside(number)
        fileBytes += bytes
        sideFileBytes += bytes
        damagedSegments += 1
        logger.error("a damaged segment of the spool was set aside", metadata: ["segment": "\(number)"])
    }

    private func fields(_ number: Int, _ scan: SegmentScan, _ size: Int) -> Logger.Metadata {
        ["segment": "\(number)", "sound_bytes": "\(scan.end)", "bytes": "\(size)", "events": "\(scan.events)"]
    }
}

internal import EventModel

/// Files that are not replayed: damaged segments, and events that the database rejected. They count towards the size
/// limit until a person removes them.
struct SideFiles: Equatable {
    var damaged = 0
    var rejectedBytes = 0
    /// Total of all side files.
    var bytes = 0

    init(in directory: SpoolDirectory) throws(SpoolError) {
        let numbers = try directory.list().damaged
        damaged = numbers.count
        rejectedBytes = RejectedEvents.bytes(in: directory)
        bytes = numbers.reduce(rejectedBytes) { $0 + directory.damagedBytes($1) }
    }
}

extension SpoolLoop {
    /// If the directory cannot be read now, the next call tries again.
    func recountSideFiles() {
        let now = clock()
        let elapsed = now.seconds(since: sideFilesCountedAt) * 1000
        // Setting the clock back does not extend the pause.
        guard !(0..<Double(configuration.sideFileMilliseconds)).contains(elapsed) else { return }
        sideFilesCountedAt = now
        guard let found = try? SideFiles(in: directory) else { return }
        let removed = sideFileBytes - found.bytes
        sideFileBytes = found.bytes
        shared.update { state in
            state.counts.damagedSegments = Int64(found.damaged)
            state.counts.rejectedBytes = Int64(found.rejectedBytes)
            if removed > 0 { state.gate.removedFile(bytes: removed) }
            if removed < 0 { state.gate.addedFile(bytes: -removed) }
        }
    }
}

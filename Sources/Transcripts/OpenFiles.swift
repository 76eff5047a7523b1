internal import EventModel

/// The unfinished last lines of files. They are kept only in memory, because they may contain secrets that can be
/// recognized only in the whole line. A line that was forgotten is requested again.
struct OpenFiles {
    struct Key: Hashable {
        var machine: MachineID
        var path: String
    }

    /// The maximum bytes of all unfinished lines.
    static let maxBytes = 64 << 20
    static let maxFiles = 4096

    private struct Entry {
        var splitter: LineSplitter
        var generation: Int64
        var lastUse: Int64
    }

    private var entries: [Key: Entry] = [:]
    private var uses: Int64 = 0
    private(set) var bytes = 0

    /// The splitter of the file at its stored position, or a new one if the stored position differs.
    func splitter(_ key: Key, of file: StoredFile) -> LineSplitter {
        guard let entry = entries[key], entry.generation == file.position.generation,
            entry.splitter.lineOffset == file.position.lineOffset
        else { return LineSplitter(at: file.position.lineOffset) }
        return entry.splitter
    }

    mutating func keep(_ splitter: LineSplitter, generation: Int64, as key: Key) {
        forget(key)
        guard splitter.nextOffset > splitter.lineOffset else { return }
        uses += 1
        entries[key] = Entry(splitter: splitter, generation: generation, lastUse: uses)
        bytes += splitter.tail.count
        while bytes > OpenFiles.maxBytes || entries.count > OpenFiles.maxFiles {
            guard let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })?.key else { return }
            forget(oldest)
        }
    }

    mutating func forgetAll() {
        entries = [:]
        bytes = 0
    }

    mutating func forget(_ key: Key) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        bytes -= entry.splitter.tail.count
    }
}

extension TranscriptPiece {
    var key: OpenFiles.Key { OpenFiles.Key(machine: machine, path: path) }
}

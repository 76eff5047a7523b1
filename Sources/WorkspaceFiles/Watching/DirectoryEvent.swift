internal import Synchronization

/// What the system says of an entry of a watched directory.
struct DirectoryEvent: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        case created
        case modified
        case deleted
        /// Both halves of a rename have the same number. One half alone: the other name is not watched.
        case movedFrom(UInt32)
        case movedTo(UInt32)
        /// The directory itself has another path now.
        case moved
        /// The directory itself is not watched any more.
        case ended
        /// Events were lost.
        case overflow
    }

    var watch: Int32
    var kind: Kind
    var name: [UInt8]
    var isDirectory: Bool
}

/// Why directories cannot be watched.
package enum WatchFault: String, Error, Sendable {
    /// There are more directories than may be watched.
    case tooManyDirectories = "too_many_directories"
    /// There are more files than may be looked at again and again.
    case tooManyFiles = "too_many_files"
    /// The system has lost events.
    case eventsLost = "events_lost"
    /// The system watches no directories, or no more.
    case unsupported
}

/// The directories that may be watched at a time, in all places together. May be used on any thread.
package final class WatchBudget: Sendable {
    private let left: Mutex<Int>

    package init(_ count: Int) { left = Mutex(max(0, count)) }

    func take() -> Bool {
        left.withLock { left in
            guard left > 0 else { return false }
            left -= 1
            return true
        }
    }

    func giveBack(_ count: Int) { left.withLock { $0 += count } }
}

internal import EventModel
internal import Synchronization

/// When each key was last accepted, until it is stored. Holds at most one time for each key.
final class KeyUse: Sendable {
    /// The resolution of `last_used_at` in seconds. A use within this time of the stored one is not stored.
    private static let grainSeconds = 60.0

    private struct Times {
        var pending: [Int64: Timestamp] = [:]
        var written: [Int64: Timestamp] = [:]
    }

    private let times = Mutex(Times())

    func accepted(_ keyID: Int64, at time: Timestamp) {
        times.withLock { times in
            if let last = times.written[keyID], abs(time.seconds(since: last)) < KeyUse.grainSeconds { return }
            times.pending[keyID] = time
        }
    }

    /// The times to store. The caller may lose them: a later use records them again.
    func take() -> [Int64: Timestamp] {
        times.withLock { times in
            let taken = times.pending
            times.pending = [:]
            times.written.merge(taken) { _, new in new }
            return taken
        }
    }
}

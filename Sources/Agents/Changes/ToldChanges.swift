internal import EventModel
internal import JSON
internal import Synchronization

/// The change sets that agents told last, for the time in which an agent is away. Names and counts, no contents; in
/// memory only. May be used on any thread.
final class ToldChanges: Sendable {
    private struct Entry {
        /// The set as JSON, which is smaller than a tree.
        var text: [UInt8]
        /// On the steady clock.
        var toldAt: Timestamp
    }

    /// Files of one set. Of a larger set, the first are kept.
    static let mostFiles = 200
    /// Bytes of one set. A larger one is not kept.
    private static let mostBytesOfOne = 256 << 10
    /// Bytes of all sets. Beyond it, those that were told first are dropped.
    private let mostBytes: Int
    private let entries = Mutex<[String: Entry]>([:])

    init(mostBytes: Int = 8 << 20) { self.mostBytes = mostBytes }

    /// - Parameter session: the id that clients use.
    func note(_ set: SessionChangeSet, of session: String, now: Timestamp) {
        var writer = JSONWriter(reserving: 4096)
        writer.value(set.names(atMost: ToldChanges.mostFiles))
        let text = writer.bytes
        entries.withLock { entries in
            entries[session] = text.count <= ToldChanges.mostBytesOfOne ? Entry(text: text, toldAt: now) : nil
            var size = entries.values.reduce(0) { $0 + $1.text.count }
            while size > mostBytes, let oldest = entries.min(by: { $0.value.toldAt < $1.value.toldAt }) {
                size -= oldest.value.text.count
                entries[oldest.key] = nil
            }
        }
    }

    /// The last set of the session, and the seconds since it was told.
    func last(of session: String, now: Timestamp) -> (set: SessionChangeSet, age: Double)? {
        guard let entry = entries.withLock({ $0[session] }), let answer = try? JSONValue.parse(entry.text),
            let set = try? SessionChangeSet(answer)
        else { return nil }
        return (set, max(0, now.seconds(since: entry.toldAt)))
    }

    func forget(_ sessions: [String]) {
        entries.withLock { entries in
            for session in sessions { entries[session] = nil }
        }
    }
}

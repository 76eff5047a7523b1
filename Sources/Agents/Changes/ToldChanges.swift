internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence
internal import Synchronization

/// The change sets that agents told last, for the time in which an agent is away. Names and counts, no contents; in the
/// database. May be used on any thread.
final class ToldChanges: Sendable {
    /// Files of one set. Of a larger set, the first are kept.
    static let mostFiles = 200
    /// Bytes of one set. A larger one is not kept.
    private static let mostBytesOfOne = 256 << 10

    private let database: any StoreAccess
    /// Whether sets are kept at all.
    private let isKept: Bool
    /// Bytes of all sets. Beyond it, those that were told first are deleted.
    private let mostBytes: Int
    /// Bytes that this server has written since it last looked at the size of all sets.
    private let written = Mutex(0)

    init(database: any StoreAccess, isKept: Bool, mostBytes: Int = 64 << 20) {
        (self.database, self.isKept, self.mostBytes) = (database, isKept, mostBytes)
    }

    /// Does nothing if the log does not have the session. If the database fails, the set before is forgotten or stays.
    ///
    /// - Parameter session: the id that clients use.
    func note(_ set: SessionChangeSet, of session: String, now: Timestamp) async {
        guard isKept else { return }
        var writer = JSONWriter(reserving: 4096)
        writer.value(set.names(atMost: ToldChanges.mostFiles))
        let bytes = writer.bytes
        guard bytes.count <= ToldChanges.mostBytesOfOne else { return await forget([session]) }
        let text = String(decoding: bytes, as: UTF8.self)
        let isDue = written.withLock { written in
            written += bytes.count
            guard written > mostBytes / 64 else { return false }
            written = 0
            return true
        }
        let most = isDue ? mostBytes : nil
        _ = try? await database.use { store throws(PersistenceError) in
            try await store.keepToldChanges(text, of: session, at: now, mostBytes: most)
        }
    }

    /// The last set of the session, and the seconds since it was told.
    func last(of session: String, now: Timestamp) async throws(APIError) -> (set: SessionChangeSet, age: Double)? {
        let found = try await database.use { store throws(PersistenceError) in
            try await store.toldChanges(of: session)
        }
        guard let found, let answer = try? JSONValue.parse(Array(found.changes.utf8)),
            let set = try? SessionChangeSet(answer)
        else { return nil }
        return (set, max(0, now.seconds(since: found.at)))
    }

    func forget(_ sessions: [String]) async {
        guard !sessions.isEmpty else { return }
        _ = try? await database.use { store throws(PersistenceError) in
            try await store.forgetToldChanges(of: sessions)
        }
    }
}

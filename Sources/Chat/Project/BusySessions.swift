internal import Synchronization

/// The sessions in which a turn of a project chat runs. One at a time: the answers to two could not be told apart.
final class BusySessions: Sendable {
    private let sessions = Mutex<Set<String>>([])

    /// Returns false if a turn runs there.
    func enter(_ session: String) -> Bool { sessions.withLock { $0.insert(session).inserted } }

    func leave(_ session: String) {
        sessions.withLock { _ = $0.remove(session) }
    }

    func contains(_ session: String) -> Bool { sessions.withLock { $0.contains(session) } }
}

internal import EventModel
internal import Synchronization

/// `WaiterTable` for tasks. May be used on any thread.
final class MessageWaiters: Sendable {
    let table = Mutex(WaiterTable<AsyncStream<Void>.Continuation>())

    func notify(_ session: String) {
        for waiter in table.withLock({ $0.notify(session) }) { waiter.finish() }
    }

    /// Cheap if no request waits for a session's first event.
    func began(_ sessions: some Sequence<String>) {
        guard table.withLock({ $0.isExpecting }) else { return }
        let sessions = Array(sessions)
        for waiter in table.withLock({ $0.began(sessions) }) { waiter.finish() }
    }

    /// Returns when a message has arrived since the generation was read, or the task is cancelled.
    func wait(for session: String, since generation: UInt64) async {
        let (messages, waiter) = AsyncStream.makeStream(of: Void.self)
        let number = table.withLock { $0.wait(for: session, since: generation, waiter) }
        guard let number else { return }
        for await _ in messages {}
        table.withLock { $0.stopWaiting(number, for: session) }
    }
}

internal import EventModel
internal import Synchronization

/// Requests that each wait for a message to one session. May be used on any thread.
final class MessageWaiters: Sendable {
    private struct State {
        var waiting: [String: [UInt64: CheckedContinuation<Void, Never>]] = [:]
        /// A counter of the messages to each session that requests ask for.
        var generations: [String: UInt64] = [:]
        var next: UInt64 = 0
        /// The requests that wait for the first event of each of these sessions.
        var expected: [String: [UInt64: Expectation]] = [:]
    }

    private struct Expectation {
        var machine: MachineID
        var hasSocket: Bool
    }

    private let state = Mutex(State())

    /// The sessions whose first event a request waits for.
    var expected: [String] { state.withLock { Array($0.expected.keys) } }

    /// Must be followed by one `stopExpecting` with the returned number.
    func expect(_ session: String, on machine: MachineID, hasSocket: Bool) -> UInt64 {
        state.withLock { state in
            state.next += 1
            state.expected[session, default: [:]][state.next] = Expectation(machine: machine, hasSocket: hasSocket)
            return state.next
        }
    }

    func stopExpecting(_ session: String, _ number: UInt64) {
        state.withLock { state in
            state.expected[session]?[number] = nil
            if state.expected[session]?.isEmpty ?? false { state.expected[session] = nil }
        }
    }

    /// Whether the machine has a socket for the session, as requests state that wait for the session's first event.
    /// `nil` if none waits.
    func hasSocket(_ session: String, on machine: MachineID) -> Bool? {
        let found = state.withLock { state in
            state.expected[session]?.values.filter { $0.machine == machine }.map(\.hasSocket) ?? []
        }
        return found.isEmpty ? nil : found.contains(true)
    }

    /// Wakes the requests that wait for the first event of these sessions. Cheap if none does.
    func began(_ sessions: some Sequence<String>) {
        guard state.withLock({ !$0.expected.isEmpty }) else { return }
        for session in sessions where state.withLock({ $0.expected[session] != nil }) { notify(session) }
    }

    /// The sessions for which a request waits.
    var sessions: [String] { state.withLock { Array($0.waiting.keys) } }

    /// Must be read before a message is looked for. `wait` returns at once if a message has arrived since.
    func generation(of session: String) -> UInt64 { state.withLock { $0.generations[session] ?? 0 } }

    func notify(_ session: String) {
        let woken = state.withLock { state in
            state.generations[session, default: 0] += 1
            // After a short time, nobody compares the numbers of sessions for which no request waits.
            if state.generations.count > 10_000 { state.generations = [session: state.generations[session] ?? 1] }
            return state.waiting.removeValue(forKey: session) ?? [:]
        }
        for continuation in woken.values { continuation.resume() }
    }

    /// Returns when a message has arrived, or the task is cancelled.
    func wait(for session: String, since generation: UInt64) async {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.generations[session] ?? 0 == generation, !Task.isCancelled else { return true }
                    state.waiting[session, default: [:]][number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                let found = state.waiting[session]?.removeValue(forKey: number)
                if state.waiting[session]?.isEmpty ?? false { state.waiting[session] = nil }
                return found
            }
            continuation?.resume()
        }
    }
}

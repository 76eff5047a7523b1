internal import Synchronization

/// Lets a task sleep until it is notified or a timeout has passed. All notifications before and during the sleep
/// count as one.
package final class AsyncSignal: Sendable {
    private struct State {
        var isNotified = false
        var sleeper: CheckedContinuation<Void, Never>?
        var round: UInt64 = 0

        mutating func takeSleeper() -> CheckedContinuation<Void, Never>? {
            defer { sleeper = nil }
            return sleeper
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// Any thread.
    package func notify() {
        let sleeper = state.withLock { state in
            state.isNotified = true
            return state.takeSleeper()
        }
        sleeper?.resume()
    }

    /// May be called by one task at a time. Returns at once when the task is cancelled.
    package func wait(atMost seconds: Double) async {
        let round = state.withLock { state in
            state.round += 1
            return state.round
        }
        var alarm: Task<Void, Never>?
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isNotified = state.withLock { state in
                    if !state.isNotified, !Task.isCancelled { state.sleeper = continuation }
                    return state.sleeper == nil
                }
                if isNotified { return continuation.resume() }
                // An alarm that starts before the sleeper is registered could also end before that and not wake it.
                alarm = Task { [self] in
                    try? await Task.sleep(for: .seconds(seconds))
                    end(round)
                }
            }
        } onCancel: {
            end(round)
        }
        alarm?.cancel()
        state.withLock { $0.isNotified = false }
    }

    private func end(_ round: UInt64) {
        let sleeper = state.withLock { state in state.round == round ? state.takeSleeper() : nil }
        sleeper?.resume()
    }
}

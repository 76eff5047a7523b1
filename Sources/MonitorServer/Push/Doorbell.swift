internal import Synchronization

/// Lets a task sleep until somebody rings, or a time has come. Rings before and during the sleep
/// count once.
final class Doorbell: Sendable {
    private struct State {
        var isRung = false
        var sleeper: CheckedContinuation<Void, Never>?
        var round: UInt64 = 0

        mutating func takeSleeper() -> CheckedContinuation<Void, Never>? {
            defer { sleeper = nil }
            return sleeper
        }
    }

    private let state = Mutex(State())

    /// Any thread.
    func ring() {
        let sleeper = state.withLock { state in
            state.isRung = true
            return state.takeSleeper()
        }
        sleeper?.resume()
    }

    /// One task at a time. Returns at once when the task is cancelled.
    func wait(atMost seconds: Double) async {
        let round = state.withLock { state in
            state.round += 1
            return state.round
        }
        let alarm = Task { [self] in
            try? await Task.sleep(for: .seconds(seconds))
            end(round)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isRung = state.withLock { state in
                    if !state.isRung, !Task.isCancelled { state.sleeper = continuation }
                    return state.sleeper == nil
                }
                if isRung { continuation.resume() }
            }
        } onCancel: {
            end(round)
        }
        alarm.cancel()
        state.withLock { $0.isRung = false }
    }

    private func end(_ round: UInt64) {
        let sleeper = state.withLock { state in state.round == round ? state.takeSleeper() : nil }
        sleeper?.resume()
    }
}

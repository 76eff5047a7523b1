internal import Synchronization

/// Lets each caller run one search at a time. A newer search of a caller ends the caller's older one.
package final class SearchTurns<Caller: Hashable & Sendable>: Sendable {
    private struct Turn {
        var number: UInt64
        var end: @Sendable () -> Void
        var ended: Task<Void, Never>
    }

    private struct State {
        var turns: [Caller: Turn] = [:]
        var number: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The callers that search now.
    package var count: Int { state.withLock { $0.turns.count } }

    /// Runs the search when the caller's older one has ended, which is cancelled for it. The task of the search is
    /// cancelled when a newer one of the caller begins, or when the calling task is cancelled.
    ///
    /// - Returns: `nil` if a newer search took this one's place.
    package func run<Value: Sendable>(
        for caller: Caller,
        _ search: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let (task, number) = state.withLock { state in
            let older = state.turns[caller]
            state.number += 1
            older?.end()
            let task = Task<Value?, Never> {
                await older?.ended.value
                return Task.isCancelled ? nil : await search()
            }
            let ended = Task { _ = await task.value }
            state.turns[caller] = Turn(number: state.number, end: { task.cancel() }, ended: ended)
            return (task, state.number)
        }
        let value = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        let isReplaced = state.withLock { state -> Bool in
            guard state.turns[caller]?.number == number else { return true }
            state.turns[caller] = nil
            return false
        }
        return isReplaced ? nil : value
    }
}

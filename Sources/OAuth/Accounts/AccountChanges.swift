internal import Synchronization

/// Wakes those who wait for changes of connected accounts, on any server of the database. May be used from any task.
package final class AccountChanges: Sendable {
    /// The notification that the servers send each other.
    static let word = "connected_accounts"

    private struct State {
        var round: UInt64 = 0
        var lastWaiter = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// A server of the database has called `PostgresStore.tellOthers(of:)`. Any thread; does not block.
    package func changedElsewhere(_ what: String) {
        if what == AccountChanges.word { changed() }
    }

    func changed() {
        let waiters = state.withLock { state in
            state.round += 1
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Read this before looking at what is waited for.
    var round: UInt64 { state.withLock(\.round) }

    var waiting: Int { state.withLock(\.waiters.count) }

    /// Returns when something has changed since the round, when the time is over, or when the task is cancelled.
    func wait(after round: UInt64, atMost seconds: Double) async {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let alarm = Task {
            try? await Task.sleep(for: .seconds(seconds))
            release(number)
        }
        defer { alarm.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isWaiting = state.withLock { state in
                    guard !Task.isCancelled, state.round == round, seconds > 0 else { return false }
                    state.waiters[number] = continuation
                    return true
                }
                if !isWaiting { continuation.resume() }
            }
        } onCancel: {
            release(number)
        }
    }

    private func release(_ number: Int) {
        state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
    }
}

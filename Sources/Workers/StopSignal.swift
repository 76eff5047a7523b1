internal import Synchronization

/// Ends a worker that waits. Any thread may set it; one thread waits.
package final class StopSignal: Sendable {
    private struct State {
        var isSet = false
        var wakeUp: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let semaphore = MonotonicSemaphore()

    package init() {}

    package var isSet: Bool { state.withLock { $0.isSet } }

    package func set() {
        let wakeUp = state.withLock { state in
            state.isSet = true
            return state.wakeUp
        }
        semaphore.signal()
        wakeUp?()
    }

    /// What ends another kind of waiting.
    package func onSet(_ wakeUp: (@Sendable () -> Void)?) {
        let isSet = state.withLock { state in
            state.wakeUp = wakeUp
            return state.isSet
        }
        if isSet { wakeUp?() }
    }

    /// Blocks for the time, or until it is set.
    package func sleep(seconds: Double) {
        guard !isSet else { return }
        _ = semaphore.wait(until: MonotonicSemaphore.Deadline(milliseconds: Int(max(0, min(seconds, 3600)) * 1000)))
    }
}

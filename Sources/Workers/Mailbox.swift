import Synchronization

/// A first-in first-out queue between threads, bounded by the sum of its elements' stated sizes. At the bound it
/// refuses new elements. It never drops an element that it has accepted.
package final class Mailbox<Element: Sendable>: Sendable {
    private struct State {
        var queue: ByteBoundedQueue<Element>
        var isClosed = false
        /// Waiting takers that have not been signalled.
        var waiters = 0
    }

    package enum Taken {
        /// In order of arrival, at least one.
        case elements([Element])
        case timedOut
        /// The queue is closed and empty, so no element will follow.
        case closed
    }

    private let state: Mutex<State>
    private let signals = MonotonicSemaphore()

    package init(byteLimit: Int) {
        state = Mutex(State(queue: ByteBoundedQueue(byteLimit: byteLimit)))
    }

    package var isClosed: Bool { state.withLock(\.isClosed) }

    /// Adds the element, or returns false if the queue is full or closed. An empty queue accepts an element of any
    /// size.
    package func offer(_ element: Element, bytes: Int) -> Bool {
        offer([(element, bytes)]) == 1
    }

    /// Offers each element in order until one is refused. Wakes the consumer once. Returns the number accepted.
    package func offer(_ batch: [(element: Element, bytes: Int)]) -> Int {
        let outcome = state.withLock { state -> (accepted: Int, wake: Bool) in
            guard !state.isClosed else { return (0, false) }
            var accepted = 0
            for (element, bytes) in batch {
                guard state.queue.offer(element, bytes: bytes) else { break }
                accepted += 1
            }
            guard accepted > 0, state.waiters > 0 else { return (accepted, false) }
            state.waiters -= 1
            return (accepted, true)
        }
        if outcome.wake { signals.signal() }
        return outcome.accepted
    }

    /// Waits for an element. Then takes the available elements up to both limits, but at least one. Several threads may
    /// call it concurrently.
    package func takeAll(maxElements: Int = .max, maxBytes: Int = .max, timeoutMilliseconds: Int?) -> Taken {
        let deadline = timeoutMilliseconds.map(MonotonicSemaphore.Deadline.init(milliseconds:))
        while true {
            if let taken = takeOrEnlist(maxElements: maxElements, maxBytes: maxBytes) { return taken }
            if signals.wait(until: deadline) { continue }
            let signalled = state.withLock { state -> Bool in
                guard state.waiters > 0 else { return true }
                state.waiters -= 1
                return false
            }
            guard signalled else { return .timedOut }
            // This taker's signal is still to come. Consume it here, or it would wake a later taker for nothing.
            _ = signals.wait(until: nil)
        }
    }

    /// Refuses further elements. The elements in the queue can still be taken.
    package func close() {
        let waiting = state.withLock { state -> Int in
            state.isClosed = true
            defer { state.waiters = 0 }
            return state.waiters
        }
        for _ in 0..<waiting { signals.signal() }
    }

    /// Whether a thread waits for an element and has not been signalled.
    package var isAwaited: Bool { state.withLock { $0.waiters > 0 } }
    package var queuedBytes: Int { state.withLock { $0.queue.bytes } }
    package var count: Int { state.withLock { $0.queue.count } }

    private func takeOrEnlist(maxElements: Int, maxBytes: Int) -> Taken? {
        state.withLock { state in
            guard state.queue.isEmpty else {
                return .elements(state.queue.take(maxElements: maxElements, maxBytes: maxBytes))
            }
            if state.isClosed { return .closed }
            state.waiters += 1
            return nil
        }
    }
}

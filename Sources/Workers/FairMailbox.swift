internal import Synchronization

/// A `FairQueue` between threads: any thread offers elements, and each worker thread takes one at a time.
package final class FairMailbox<Owner: Hashable & Sendable, Element: Sendable>: Sendable {
    private struct State {
        var queue: FairQueue<Owner, Element>
        var isClosed = false
        /// Waiting takers that have not been signalled.
        var waiters = 0
    }

    private let state: Mutex<State>
    private let signals = MonotonicSemaphore()

    /// - Parameters:
    ///   - workers: the number of threads that call `take`.
    ///   - workersOfOwner: how many of them may work for one owner at once.
    ///   - waiting: how many elements may wait.
    package init(workers: Int, workersOfOwner: Int, waiting: Int) {
        state = Mutex(
            State(queue: FairQueue(workers: workers, workersOfOwner: workersOfOwner, waiting: waiting))
        )
    }

    /// Adds the element, or returns false if the queue or the owner's share of it is full, or the mailbox is closed.
    package func offer(_ element: Element, from owner: Owner) -> Bool {
        let (isAccepted, wakes) = state.withLock { state -> (Bool, Bool) in
            guard !state.isClosed, state.queue.offer(element, from: owner) else { return (false, false) }
            guard state.waiters > 0, state.queue.hasNext else { return (true, false) }
            state.waiters -= 1
            return (true, true)
        }
        if wakes { signals.signal() }
        return isAccepted
    }

    /// Waits for an element that may run now. Returns `nil` once the mailbox is closed.
    ///
    /// - Parameter finished: the owner of the element that this thread has taken before and finished.
    package func take(after finished: Owner?) -> (owner: Owner, element: Element)? {
        var finished = finished
        while true {
            let taken = state.withLock { state -> (owner: Owner, element: Element)?? in
                if let owner = finished { state.queue.ended(owner) }
                finished = nil
                if state.isClosed { return .some(nil) }
                if let next = state.queue.next() { return .some(next) }
                state.waiters += 1
                return .none
            }
            if let taken { return taken }
            _ = signals.wait(until: nil)
        }
    }

    /// Takes all waiting elements. They do not run.
    package func removeAll() -> [Element] { state.withLock { $0.queue.removeAll() } }

    /// Refuses further elements, and lets every taker return.
    package func close() {
        let waiting = state.withLock { state -> Int in
            state.isClosed = true
            defer { state.waiters = 0 }
            return state.waiters
        }
        for _ in 0..<waiting { signals.signal() }
    }
}

internal import DequeModule
internal import Synchronization

/// A first-in first-out queue with one consumer, which may be a task. Who fills it waits for `room`, or looks at
/// `bytes`; nothing is dropped.
final class AsyncQueue<Element: Sendable>: Sendable {
    private struct State {
        var elements: Deque<(element: Element, bytes: Int)> = []
        var bytes = 0
        var isFinished = false
        var taker: CheckedContinuation<Element?, Never>?
        var filler: CheckedContinuation<Void, Never>?

        mutating func takeFiller(below limit: Int) -> CheckedContinuation<Void, Never>? {
            guard isFinished || elements.count < limit else { return nil }
            defer { filler = nil }
            return filler
        }
    }

    private let limit: Int
    private let merge: @Sendable (_ last: Element, _ next: Element) -> Element?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: how many elements may wait before `room` waits.
    ///   - merge: makes one element of two that wait, if they say no more than one.
    init(limit: Int, merge: @escaping @Sendable (_ last: Element, _ next: Element) -> Element? = { _, _ in nil }) {
        self.limit = limit
        self.merge = merge
    }

    /// The sum of the sizes of what waits.
    var bytes: Int { state.withLock(\.bytes) }

    /// Any thread. After `finish`, the element is dropped.
    func offer(_ element: Element, bytes: Int = 0) {
        let taker = state.withLock { state -> CheckedContinuation<Element?, Never>? in
            guard !state.isFinished else { return nil }
            if let taker = state.taker {
                state.taker = nil
                return taker
            }
            state.bytes += bytes
            if let last = state.elements.last, let merged = merge(last.element, element) {
                state.elements[state.elements.count - 1] = (merged, last.bytes + bytes)
            } else {
                state.elements.append((element, bytes))
            }
            return nil
        }
        taker?.resume(returning: element)
    }

    /// nil once the queue is finished and empty, or the task is cancelled. May be called by one task at a time.
    func next() async -> Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (element, isOver, filler) = state.withLock { state in
                    let first = state.elements.popFirst()
                    state.bytes -= first?.bytes ?? 0
                    let isOver = first == nil && (state.isFinished || Task.isCancelled)
                    if first == nil, !isOver { state.taker = continuation }
                    return (first?.element, isOver, state.takeFiller(below: limit / 2))
                }
                filler?.resume()
                if element != nil || isOver { continuation.resume(returning: element) }
            }
        } onCancel: {
            let taker = state.withLock { state in
                defer { state.taker = nil }
                return state.taker
            }
            taker?.resume(returning: nil)
        }
    }

    /// Waits until fewer elements than the limit wait. May be called by one task at a time.
    func room() async {
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state in
                if state.isFinished || state.elements.count < limit { return true }
                state.filler = continuation
                return false
            }
            if hasRoom { continuation.resume() }
        }
    }

    /// No more elements follow. What waits can still be taken.
    func finish() {
        let (taker, filler) = state.withLock { state in
            state.isFinished = true
            defer { state.taker = nil }
            return (state.taker, state.takeFiller(below: limit))
        }
        taker?.resume(returning: nil)
        filler?.resume()
    }
}

internal import Synchronization

/// A turn that is being answered. Any number of requests may wait for it, from its beginning. Usable on any thread.
package final class ChatRun: Sendable {
    package struct News: Sendable {
        /// Since the last news.
        package var pieces: [ChatPiece]
        /// The model that answers, as the machine names it.
        package var model: String?
        package var outcome: ChatOutcome?
        /// For the next call.
        package var seen: Int

        package var text: String { pieces.text }
    }

    private struct State {
        var pieces: [ChatPiece] = []
        var bytes = 0
        var model: String?
        var outcome: ChatOutcome?
        var observers = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter = 0
    }

    /// Bytes of an answer, with what belongs to it.
    private static let mostBytes = 4 << 20
    /// Seconds for which a turn goes on after the last request for it was closed.
    static let graceSeconds = 10.0

    package let answer: ChatAnswer
    /// Whether the turn goes on when no request waits for it.
    private let goesOnAlone: Bool
    private let state = Mutex(State())
    private let interrupt: @Sendable () async -> Void

    /// - Parameter interrupt: ends the turn; an outcome follows.
    init(_ answer: ChatAnswer, goesOnAlone: Bool = false, interrupt: @escaping @Sendable () async -> Void) {
        (self.answer, self.goesOnAlone, self.interrupt) = (answer, goesOnAlone, interrupt)
    }

    var isObserved: Bool { state.withLock { $0.observers > 0 } }
    var outcome: ChatOutcome? { state.withLock(\.outcome) }
    var pieces: [ChatPiece] { state.withLock(\.pieces) }
    var text: String { pieces.text }
    var model: String? { state.withLock(\.model) }
    var size: Int { state.withLock(\.bytes) }

    func add(_ text: String) { add(.text(text)) }

    /// - Parameter model: as the machine names it; `nil` changes nothing.
    @Sendable func add(_ text: String, by model: String?) {
        name(model)
        add(.text(text))
    }

    /// Names the model that answers. Later names are ignored, so that all pieces of an answer have the same.
    func name(_ model: String?) {
        guard let model = model.flatMap(ChatUsage.name) else { return }
        state.withLock { $0.model = $0.model ?? model }
    }

    /// Adds nothing after the end, and no empty piece. A machine that writes too much has its turn ended.
    func add(_ piece: ChatPiece) {
        guard piece.size > 0 else { return }
        var isTooLong = false
        wake { state in
            guard state.outcome == nil else { return }
            state.bytes += piece.size
            isTooLong = state.bytes > ChatRun.mostBytes
            if isTooLong {
                state.outcome = .failed(ChatRefusal.tooLong.final)
            } else {
                state.pieces.append(piece)
            }
        }
        if isTooLong { Task { await interrupt() } }
    }

    func finish(_ outcome: ChatOutcome) {
        wake { $0.outcome = $0.outcome ?? outcome }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits for more than was seen, for the end, for the time, or for the task to be cancelled.
    func news(after seen: Int, seconds: Double) async -> News {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let alarm = Task {
            try? await Task.sleep(for: .seconds(seconds))
            release(number)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    let isDue = state.pieces.count > seen || state.outcome != nil || Task.isCancelled
                    if !isDue { state.waiters[number] = continuation }
                    return isDue
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            release(number)
        }
        alarm.cancel()
        return state.withLock { state in
            News(
                pieces: Array(state.pieces.dropFirst(seen)),
                model: state.model,
                outcome: state.outcome,
                seen: state.pieces.count
            )
        }
    }

    private func release(_ number: Int) {
        state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
    }

    /// Interrupts the turn, even if requests wait for it. `finish` follows.
    func end() async {
        guard outcome == nil else { return }
        await interrupt()
    }

    /// A request waits for the turn. See `ChatObserver`.
    func enter() {
        state.withLock { $0.observers += 1 }
    }

    /// If the observer was the last one, the turn ends soon, unless it goes on alone or another observer comes.
    func leave() {
        let isLast = state.withLock { state in
            state.observers -= 1
            return state.observers == 0 && state.outcome == nil
        }
        guard isLast, !goesOnAlone else { return }
        Task {
            try? await Task.sleep(for: .seconds(ChatRun.graceSeconds))
            guard !isObserved, outcome == nil else { return }
            await interrupt()
        }
    }
}

internal import Synchronization

/// The turns that are being answered, and those that have just ended, so that a repeat finds them.
final class ChatRuns: Sendable {
    struct Place: Hashable, Sendable {
        var caller: String
        /// Of the request's body.
        var digest: [UInt8]
        /// The request's idempotency key.
        var key: String?
    }

    fileprivate struct State {
        var runs: [Place: ChatRun] = [:]
        /// Turns of plain chats that a machine has been asked for. Several may have the same place.
        var asked: [ObjectIdentifier: ChatRun] = [:]
        /// Those that have ended, oldest first.
        var ended: [Place] = []
        /// Bytes of their answers.
        var endedBytes = 0
        var isStopping = false
    }

    /// How long the requests have to leave their turns when the server stops.
    private static let (looks, lookSeconds) = (50, 0.02)

    /// The number of turns that are kept after their end: of one caller, and of all. And the bytes of their answers.
    private static let (mostEndedOfOne, mostEnded, mostEndedBytes) = (16, 256, 16 << 20)

    private let state = Mutex(State())

    /// The latest turn for the same request, if the client repeats it, or if nobody waits for it any more.
    func joinable(_ place: Place, isRepeat: Bool) -> ChatRun? {
        guard let run = state.withLock({ $0.runs[place] }) else { return nil }
        if isRepeat { return run }
        return run.outcome == nil && !run.isObserved ? run : nil
    }

    /// The machine is asked for the turn of a plain chat. `ended` follows.
    func began(_ run: ChatRun) {
        state.withLock { $0.asked[ObjectIdentifier(run)] = run }
    }

    /// The turns that run in a plain chat.
    func running(in session: String) -> [ChatRun] {
        let runs = state.withLock { Array($0.asked.values) }
        return runs.filter { $0.answer.session?.id == session && $0.outcome == nil }
    }

    func add(_ run: ChatRun, at place: Place) {
        let isStopping = state.withLock { state in
            state.put(run, at: place)
            return state.isStopping
        }
        if isStopping { run.finish(.failed(ChatRefusal.stopping)) }
    }

    /// Adds the turn, unless one for the same request runs.
    ///
    /// - Returns: the one that runs.
    func addUnlessRunning(_ run: ChatRun, at place: Place) -> ChatRun? {
        let (known, isStopping) = state.withLock { state -> (ChatRun?, Bool) in
            if let known = state.runs[place], known.outcome == nil { return (known, false) }
            state.put(run, at: place)
            return (nil, state.isStopping)
        }
        if isStopping { run.finish(.failed(ChatRefusal.stopping)) }
        return known
    }

    /// Forgets a turn that has not begun.
    func remove(_ run: ChatRun, at place: Place) {
        state.withLock { if $0.runs[place] === run { $0.runs[place] = nil } }
    }

    /// Waits for the task to be cancelled, which the server's stop begins with. Then no stream just ends: each gets an
    /// error, for which it has a moment.
    func endAtStop() async {
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
        await Task { await end() }.value
    }

    private func end() async {
        let runs = state.withLock { state in
            state.isStopping = true
            return Array(state.runs.values)
        }
        for run in runs { run.finish(.failed(ChatRefusal.stopping)) }
        var left = ChatRuns.looks
        while left > 0, runs.contains(where: \.isObserved) {
            try? await Task.sleep(for: .seconds(ChatRuns.lookSeconds))
            left -= 1
        }
    }

    func ended(_ run: ChatRun) {
        state.withLock { state in
            state.asked[ObjectIdentifier(run)] = nil
            guard let place = state.runs.first(where: { $0.value === run })?.key else { return }
            state.ended.append(place)
            state.endedBytes += run.size
            if state.ended.count(where: { $0.caller == place.caller }) > ChatRuns.mostEndedOfOne {
                state.forget(state.ended.firstIndex { $0.caller == place.caller })
            }
            while state.ended.count > ChatRuns.mostEnded || state.endedBytes > ChatRuns.mostEndedBytes {
                state.forget(state.ended.indices.first)
            }
        }
    }
}

extension ChatRuns.State {
    fileprivate mutating func put(_ run: ChatRun, at place: ChatRuns.Place) {
        forget(ended.firstIndex(of: place))
        runs[place] = run
    }

    /// - Parameter index: of a turn that has ended.
    fileprivate mutating func forget(_ index: Int?) {
        guard let index else { return }
        let place = ended.remove(at: index)
        endedBytes -= runs.removeValue(forKey: place)?.size ?? 0
    }
}

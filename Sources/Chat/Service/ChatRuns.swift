internal import Synchronization

/// The turns that are being answered, and those that have just ended, so that a repeat finds them.
final class ChatRuns: Sendable {
    struct Place: Hashable, Sendable {
        var caller: String
        /// Of the request's body.
        var digest: [UInt8]
    }

    private struct State {
        var runs: [Place: ChatRun] = [:]
        /// Those that have ended, oldest first.
        var ended: [Place] = []
        var isStopping = false
    }

    /// How long the requests have to leave their turns when the server stops.
    private static let (looks, lookSeconds) = (50, 0.02)

    /// The number of turns that are kept after their end.
    private static let mostEnded = 64

    private let state = Mutex(State())

    /// The latest turn for the same request, if the client repeats it, or if nobody waits for it any more.
    func joinable(_ place: Place, isRepeat: Bool) -> ChatRun? {
        guard let run = state.withLock({ $0.runs[place] }) else { return nil }
        if isRepeat { return run }
        return run.outcome == nil && !run.isObserved ? run : nil
    }

    func add(_ run: ChatRun, at place: Place) {
        let isStopping = state.withLock { state in
            state.runs[place] = run
            state.ended.removeAll { $0 == place }
            return state.isStopping
        }
        if isStopping { run.finish(.failed(ProjectRefusal.stopping)) }
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
        for run in runs { run.finish(.failed(ProjectRefusal.stopping)) }
        var left = ChatRuns.looks
        while left > 0, runs.contains(where: \.isObserved) {
            try? await Task.sleep(for: .seconds(ChatRuns.lookSeconds))
            left -= 1
        }
    }

    func ended(_ run: ChatRun) {
        state.withLock { state in
            guard let place = state.runs.first(where: { $0.value === run })?.key else { return }
            state.ended.append(place)
            while state.ended.count > ChatRuns.mostEnded { state.runs[state.ended.removeFirst()] = nil }
        }
    }
}

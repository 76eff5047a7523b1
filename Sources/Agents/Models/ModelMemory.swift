internal import EventModel
internal import Synchronization

/// The models that one agent has told, and the question that is under way. May be used on any thread.
final class ModelMemory: Sendable {
    private struct Entry {
        var answer: Task<[OfferedModel]?, Never>
        /// When the agent is asked again.
        var due: Timestamp
    }

    /// Seconds for which an answer counts.
    static let keptSeconds = 600.0
    /// Seconds after which an agent that has not told is asked again.
    static let pauseSeconds = 60.0

    private let entry = Mutex<Entry?>(nil)

    /// What the agent has told, or tells now. Those that ask at the same time wait for the same answer.
    ///
    /// - Parameter clock: does not go back.
    func models(
        _ clock: @escaping @Sendable () -> Timestamp,
        ask: @escaping @Sendable () async -> [OfferedModel]?
    ) async -> [OfferedModel] {
        let now = clock()
        let answer = entry.withLock { entry in
            if let entry, now < entry.due { return entry.answer }
            let answer = Task { [self] in
                let told = await ask()
                if told != nil { extend(until: clock().adding(seconds: ModelMemory.keptSeconds)) }
                return told
            }
            entry = Entry(answer: answer, due: now.adding(seconds: ModelMemory.pauseSeconds))
            return answer
        }
        return await answer.value ?? []
    }

    private func extend(until due: Timestamp) { entry.withLock { $0?.due = due } }
}

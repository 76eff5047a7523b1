internal import CdevDialect
internal import EventModel
internal import Persistence
internal import Synchronization
internal import WSFanout

/// The encoded form of a batch, made during its COMMIT, when the writer's thread is otherwise idle, so that
/// subscribers need not wait for it afterwards. Holds one batch: the last that was sent.
final class PreparedBatch: Sendable {
    private struct State {
        var epoch = ""
        var ids: [EventID] = []
        var events: [EncodedEvent] = []
        /// The changes of `prompts` by the batch.
        var update = PromptTrackers.Update()
    }

    private let state = Mutex(State())
    /// The state after the last batch that was taken.
    private let prompts = Mutex(PromptTrackers())

    /// Sets the prompts at the end of the log.
    func begin(with prompts: PromptTrackers) { self.prompts.withLock { $0 = prompts } }

    /// Forgets the prompts of erased sessions, or all prompts.
    func forget(_ sessions: Set<String>?) { prompts.withLock { $0.forget(sessions) } }

    /// - Parameter encoding: whether there are subscribers. Otherwise the events are encoded on first use.
    func prepare(_ batch: CommittedBatch, encoding: Bool) {
        let prepared = made(of: batch, encoding: encoding)
        state.withLock { $0 = prepared }
    }

    /// Returns the prepared batch if it is this one, at the same positions; otherwise prepares it now.
    func take(_ batch: CommittedBatch, encoding: Bool) -> [EncodedEvent] {
        var prepared = state.withLock { state in
            defer { state = State() }
            return state
        }
        let isThis =
            prepared.epoch == batch.epoch && prepared.events.first?.seq == batch.events.first?.seq
            && prepared.ids == batch.events.map(\.event.id)
        if !isThis { prepared = made(of: batch, encoding: encoding) }
        prompts.withLock { $0.apply(prepared.update) }
        return prepared.events
    }

    private func made(of batch: CommittedBatch, encoding: Bool) -> State {
        let (events, update) = prompts.withLock { $0.encode(batch.events, epoch: batch.epoch) }
        if encoding { for event in events { event.encode() } }
        return State(epoch: batch.epoch, ids: batch.events.map(\.event.id), events: events, update: update)
    }
}

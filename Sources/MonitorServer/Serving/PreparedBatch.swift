internal import EventModel
internal import Persistence
internal import Synchronization
internal import WSFanout

/// A batch in the form that leaves the server, made while its COMMIT is awaited: the writer's thread has nothing else
/// to do then, and subscribers need not wait for it afterwards. It holds one batch, the last that was sent.
final class PreparedBatch: Sendable {
    private struct State {
        var epoch = ""
        var ids: [EventID] = []
        var events: [EncodedEvent] = []
    }

    private let state = Mutex(State())

    /// - Parameter encoding: whether somebody listens; else the bytes are made when somebody asks for them.
    func prepare(_ batch: CommittedBatch, encoding: Bool) {
        let events = PreparedBatch.events(of: batch, encoding: encoding)
        let prepared = State(epoch: batch.epoch, ids: batch.events.map(\.event.id), events: events)
        state.withLock { $0 = prepared }
    }

    /// What was prepared, if it was this batch, at these very places; else it is made now.
    func take(_ batch: CommittedBatch, encoding: Bool) -> [EncodedEvent] {
        let prepared = state.withLock { state in
            defer { state = State() }
            return state
        }
        if prepared.epoch == batch.epoch, prepared.events.first?.seq == batch.events.first?.seq,
            prepared.ids == batch.events.map(\.event.id)
        {
            return prepared.events
        }
        return PreparedBatch.events(of: batch, encoding: encoding)
    }

    private static func events(of batch: CommittedBatch, encoding: Bool) -> [EncodedEvent] {
        let events = batch.events.map { EncodedEvent($0, epoch: batch.epoch) }
        if encoding { for event in events { event.encode() } }
        return events
    }
}

internal import EventModel
internal import Listener
internal import Persistence
internal import WSFanout

/// Passes committed events to the hub and counts them.
final class CommitPublisher: CommitObserver {
    private let context: ServerContext
    private let loop: NetworkLoop
    private let prepared = PreparedBatch()

    init(context: ServerContext, loop: NetworkLoop) {
        self.context = context
        self.loop = loop
    }

    /// Call before the writer starts, so that clients can resume from the events in the log.
    func begin(at bounds: LogBounds, reading store: PostgresStore) async throws(PersistenceError) {
        let (newest, prompts) = try await RecentEvents.read(from: store, bounds)
        prepared.begin(with: prompts)
        let window = StreamWindow(epoch: bounds.epoch, oldest: bounds.oldest - 1, head: bounds.head)
        onLoop { $0.hub.restart(window, holding: newest) }
    }

    /// Retention has dropped the events up to this position.
    func trimmed(through seq: Int64) {
        onLoop { $0.hub.trimmed(through: seq) }
    }

    /// Events of these sessions were erased; `nil` if another server erased them.
    func erased(_ sessions: Set<String>?) {
        prepared.forget(sessions)
        onLoop { $0.hub.erased() }
    }

    func logReaches(_ position: StreamPosition) {
        context.published.reaches(position)
        onLoop { $0.hub.logReaches(position) }
    }

    func committing(_ batch: CommittedBatch) {
        prepared.prepare(batch, encoding: !context.audience.isEmpty)
    }

    func committed(_ batch: CommittedBatch) {
        let committedAt = context.steadyClock()
        let events = prepared.take(batch, encoding: !context.audience.isEmpty)
        if let newest = events.last {
            context.published.reaches(StreamPosition(epoch: newest.epoch, seq: newest.seq))
        }
        onLoop { $0.publish(events, committedAt: committedAt) }
        context.countCommit(events: batch.events.count)
    }

    private func onLoop(_ body: @escaping @Sendable (LoopHandler) -> Void) {
        loop.post { loop in if let handler = loop.handler as? LoopHandler { body(handler) } }
    }
}

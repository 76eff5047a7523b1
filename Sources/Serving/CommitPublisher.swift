package import EventModel
package import Persistence
internal import Prompts
internal import Synchronization
internal import WSFanout

/// Passes committed events to the hub and counts them.
package final class CommitPublisher: CommitObserver, ProjectionObserver {
    private let context: ServerContext
    private let prepared = PreparedBatch()
    private let formerEnd = Mutex<StreamPosition?>(nil)

    package init(context: ServerContext) {
        self.context = context
    }

    /// Call before the writer starts, so that clients can resume from the events in the log.
    package func begin(at bounds: LogBounds, reading store: PostgresStore) async throws(PersistenceError) {
        let (newest, prompts) = try await RecentEvents.read(from: store, bounds)
        prepared.begin(with: prompts)
        let window = StreamWindow(epoch: bounds.epoch, oldest: bounds.oldest - 1, head: bounds.head)
        afterPublished { $0.hub.restart(window, holding: newest) }
    }

    /// Call after retention has dropped the events up to this position.
    package func trimmed(through seq: Int64) {
        afterPublished { $0.hub.trimmed(through: seq) }
    }

    /// Call after events of these sessions were erased; `nil` if another server erased them.
    package func erased(_ sessions: Set<String>?) {
        prepared.forget(sessions)
        context.prompts.erased()
        afterPublished { $0.hub.erased() }
    }

    package func logReaches(_ position: StreamPosition) {
        context.published.reaches(position)
        afterPublished { handler in
            handler.noteRows(before: position)
            handler.hub.logReaches(position)
        }
    }

    /// Publishes the commits of other servers of the database. Call every few seconds with the end of the log. This
    /// server's own commits are published before the next call, so only the end from the previous call can be new.
    package func logEnds(at position: StreamPosition) {
        let former = formerEnd.withLock { end in
            defer { end = position }
            return end
        }
        if let former, former.epoch == position.epoch, !context.published.includes(former) { logReaches(former) }
    }

    package func committing(_ batch: CommittedBatch) {
        prepared.prepare(batch, encoding: !context.audience.isEmpty)
    }

    package func committed(_ batch: CommittedBatch) {
        let committedAt = context.steadyClock()
        let events = prepared.take(batch, encoding: !context.audience.isEmpty)
        if let newest = events.last {
            context.published.reaches(StreamPosition(epoch: newest.epoch, seq: newest.seq))
        }
        let opened = batch.events.enumerated().compactMap { index, event in
            OpenedPrompt(event).map { (events[index], $0.id) }
        }
        context.loop.post { handler, _ in
            handler.publications.committed(events, opened: opened, at: committedAt)
        }
        context.countCommit(events: batch.events.count)
    }

    /// The body runs after the events that were committed before have been sent.
    private func afterPublished(_ body: @escaping @Sendable (LoopHandler) -> Void) {
        context.loop.post { handler, _ in
            handler.publishWaiting()
            body(handler)
        }
    }
}

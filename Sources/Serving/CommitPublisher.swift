internal import Agents
package import EventModel
package import Persistence
internal import Prompts
internal import WSFanout

/// Passes the log to the hub, and counts this server's commits.
package final class CommitPublisher: CommitObserver, LogObserver, ProjectionObserver {
    private let context: ServerContext
    private let prepared = PreparedBatch()

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
        afterPublished { $0.erased() }
    }

    /// This server's own commit. Clients may resume after it before it is passed to the hub.
    package func committed(_ batch: CommittedBatch) {
        if let newest = batch.events.last {
            context.published.reaches(StreamPosition(epoch: batch.epoch, seq: newest.seq))
        }
        context.countCommit(events: batch.events.count)
    }

    /// Without subscribers, the hub reads other servers' events from the store when they are needed.
    package var needsEvents: Bool { !context.audience.isEmpty }

    package func expects(_ batch: CommittedBatch) {
        prepared.prepare(batch, encoding: !context.audience.isEmpty)
    }

    package func logged(_ batch: CommittedBatch) {
        let loggedAt = context.steadyClock()
        let events = prepared.take(batch, encoding: !context.audience.isEmpty)
        if let newest = events.last {
            context.published.reaches(StreamPosition(epoch: newest.epoch, seq: newest.seq))
        }
        let opened = batch.events.enumerated().compactMap { index, event in
            OpenedPrompt(event).map { (events[index], $0.id) }
        }
        let authors = batch.events.lazy.map(\.event).filter(FileAuthors.matters)
        context.loop.post { [authors = Array(authors)] handler, _ in
            handler.noteAuthors(authors)
            handler.publications.committed(events, opened: opened, at: loggedAt)
        }
    }

    package func skipped(to position: StreamPosition) {
        context.published.reaches(position)
        afterPublished { handler in
            handler.noteRows(before: position)
            handler.hub.logReaches(position)
        }
    }

    /// The body runs after the events that were committed before have been sent.
    private func afterPublished(_ body: @escaping @Sendable (LoopHandler) -> Void) {
        context.loop.post { handler, _ in
            handler.publishWaiting()
            body(handler)
        }
    }
}

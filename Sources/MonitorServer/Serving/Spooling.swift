internal import EventModel
internal import EventSpool
internal import HTTPModel
internal import Persistence

/// Where the events of a post go.
enum IngestWay {
    case database(EventWriter)
    /// The database is away, or what was spooled while it was is not all committed yet: the new goes behind it.
    case spool(EventSpool)
}

extension ServerContext {
    /// 503 where they can go nowhere.
    func ingestWay() throws(APIError) -> IngestWay {
        guard let spool else { return .database(try database.writer()) }
        let writer = try? database.writer()
        switch spool.decision(isWriterAvailable: writer != nil) {
        case .database:
            guard let writer else { throw Database.away(retryAfter: 2) }
            return .database(writer)
        case .spool: return .spool(spool)
        case .refuse(let retryAfter): throw Database.away(retryAfter: retryAfter)
        }
    }
}

/// What became of an event of a post.
enum PostOutcome: Sendable {
    case stored(AppendOutcome)
    /// Durable here; it will be committed when the database is back.
    case spooled

    var retryAfter: Int? {
        guard case .stored(.unavailable(let retryAfter)) = self else { return nil }
        return retryAfter
    }
}

extension PendingIngest {
    /// `respond` is called once, on any thread, unless this throws.
    func deliver(_ respond: @escaping @Sendable (HTTPResponse) -> Void) throws(APIError) {
        switch try context.ingestWay() {
        case .database(let writer):
            guard commit(by: writer, respond) else {
                throw .unavailable("queue_full", "Too many events are waiting. Nothing was stored.", retryAfter: 1)
            }
        case .spool(let spool):
            let unkept = PostOutcome.stored(.unavailable(retryAfter: 2))
            let isTaken = spool.append(events) { outcome in
                if outcome == .notNeeded, let writer = try? context.database.writer(), commit(by: writer, respond) {
                    return
                }
                respond(response(outcomes: events.map { _ in outcome == .durable ? .spooled : unkept }))
            }
            guard isTaken else { throw Database.away(retryAfter: 2) }
        }
    }

    /// False: the writer's queue is full.
    private func commit(by writer: EventWriter, _ respond: @escaping @Sendable (HTTPResponse) -> Void) -> Bool {
        writer.append(events) { outcomes in spoolUncommitted(outcomes.map(PostOutcome.stored), respond) }
    }

    /// The database went away over these events. Whether it has them all the same only it knows: their ids will tell.
    private func spoolUncommitted(_ outcomes: [PostOutcome], _ respond: @escaping @Sendable (HTTPResponse) -> Void) {
        guard let spool = context.spool, outcomes.contains(where: { $0.retryAfter != nil }) else {
            return respond(response(outcomes: outcomes))
        }
        let uncommitted = zip(events, outcomes).filter { $0.1.retryAfter != nil }.map(\.0)
        let isTaken = spool.append(uncommitted) { outcome in
            let isDurable = outcome == .durable
            respond(response(outcomes: outcomes.map { $0.retryAfter != nil && isDurable ? .spooled : $0 }))
        }
        if !isTaken { respond(response(outcomes: outcomes)) }
    }
}

extension Database {
    /// Takes replayed events to the writer.
    var replaySink: EventSpool.Sink {
        { [self] events, completion in
            guard let writer = try? writer() else { return false }
            return writer.append(events) { outcomes in completion(outcomes.map(ReplayOutcome.init)) }
        }
    }
}

extension ReplayOutcome {
    fileprivate init(_ outcome: AppendOutcome) {
        switch outcome {
        case .accepted, .duplicate: self = .committed
        case .rejected(let error): self = .rejected(error.description)
        case .unavailable: self = .unavailable
        }
    }
}

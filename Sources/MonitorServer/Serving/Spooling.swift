internal import EventModel
internal import EventSpool
internal import HTTPModel
internal import Listener
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
    /// Told of a post's events once they are settled. Late: on the spool's thread, else on the writer's.
    typealias Settled = @Sendable (_ outcomes: [PostOutcome], _ isLate: Bool) -> Void

    static var queueFull: APIError {
        .unavailable("queue_full", "Too many events are waiting. Nothing was stored.", retryAfter: 1)
    }

    /// Where nothing shares a commit with a late one, it goes at once.
    func answer(_ outcomes: [PostOutcome], to exchange: ExchangeID, on loop: NetworkLoop, isLate: Bool) {
        context.answers.add(outcomes, of: self, to: exchange, on: loop)
        if isLate { context.answers.send() }
    }

    /// `settled` is called once, on any thread, unless this throws.
    func deliver(to spool: EventSpool, _ settled: @escaping Settled) throws(APIError) {
        let unkept = PostOutcome.stored(.unavailable(retryAfter: 2))
        let isTaken = spool.append(events) { [self] outcome in
            if outcome == .notNeeded, let writer = try? context.database.writer(),
                writer.append(events, completion: { self.settle($0, settled) })
            {
                return
            }
            settled(events.map { _ in outcome == .durable ? .spooled : unkept }, true)
        }
        guard isTaken else { throw Database.away(retryAfter: 2) }
    }

    /// What the writer could not commit goes to the spool: the database went away over these events. Whether it has
    /// them all the same only it knows: their ids will tell.
    func settle(_ appended: [AppendOutcome], _ settled: @escaping Settled) {
        let outcomes = appended.map(PostOutcome.stored)
        guard let spool = context.spool, outcomes.contains(where: { $0.retryAfter != nil }) else {
            return settled(outcomes, false)
        }
        let uncommitted = zip(events, outcomes).filter { $0.1.retryAfter != nil }.map(\.0)
        let isTaken = spool.append(uncommitted) { outcome in
            let isDurable = outcome == .durable
            settled(outcomes.map { $0.retryAfter != nil && isDurable ? .spooled : $0 }, true)
        }
        if !isTaken { settled(outcomes, false) }
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

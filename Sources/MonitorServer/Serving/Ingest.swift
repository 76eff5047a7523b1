internal import Access
internal import EventIngest
internal import EventModel
internal import HTTPModel
internal import Listener
internal import Persistence

/// The two ways events come in.
enum IngestKind: String {
    /// Envelopes: one, an array, or one a line.
    case events = "/api/events"
    /// One hook's JSON itself.
    case hook = "/api/hooks"

    init?(_ request: HTTPRequest) {
        guard request.method == .post, let kind = IngestKind(rawValue: request.path) else { return nil }
        self = kind
    }
}

/// Decode on the loop, commit on the writer's thread, answer on the loop.
extension LoopHandler {
    /// Everything that can be said without the body: who, how often, and whether a commit is possible.
    func admitIngest(_ request: HTTPRequest, _ kind: IngestKind) -> Admission {
        do throws(APIError) {
            let grant = try context.grant(request)
            if let keyID = grant.keyID,
                let error = context.rateLimiter.take(keyID: keyID, now: context.clock())?.error
            {
                context.metrics.update { $0.rateLimited += 1 }
                throw error
            }
            _ = try context.database.writer()
            return .read(limit: context.maxBody)
        } catch {
            return .refuse(context.refuse(request, kind, error))
        }
    }

    func handleIngest(
        _ request: HTTPRequest,
        _ kind: IngestKind,
        exchange: ExchangeID,
        on loop: isolated NetworkLoop
    ) {
        do throws(APIError) {
            let grant = try context.grant(request)
            let items = try decode(request, kind, grant)
            let answer = PendingIngest(context: context, request: request, kind: kind, items: items, grant: grant)
            guard !answer.events.isEmpty else { return loop.respond(exchange, answer.response(outcomes: [])) }
            let taken = try context.database.writer().append(answer.events) { [loop] outcomes in
                let response = answer.response(outcomes: outcomes)
                loop.post { loop in loop.respond(exchange, response) }
            }
            guard taken else {
                throw .unavailable("queue_full", "Too many events are waiting. Nothing was stored.", retryAfter: 1)
            }
        } catch {
            loop.respond(exchange, context.refuse(request, kind, error))
        }
    }

    private func decode(
        _ request: HTTPRequest,
        _ kind: IngestKind,
        _ grant: MachineGrant
    ) throws(APIError) -> [DecodedItem] {
        let now = context.clock()
        switch kind {
        case .events:
            return try decoder.decodeEvents(
                body: request.body,
                contentType: request.headers["content-type"],
                contentEncoding: request.headers["content-encoding"],
                machine: grant.machine,
                machineName: grant.machineName,
                now: now
            )
        case .hook:
            let event = try decoder.decodeHook(
                body: request.body,
                contentType: request.headers["content-type"],
                contentEncoding: request.headers["content-encoding"],
                machine: grant.machine,
                machineName: grant.machineName,
                now: now
            )
            return [.event(event, sentID: nil)]
        }
    }
}

extension ServerContext {
    /// Whose events they are. What the operator posts by hand counts as a machine of its own.
    func grant(_ request: HTTPRequest) throws(APIError) -> MachineGrant {
        switch try authorize(request, for: Scope.postEvents) {
        case .machine(let grant): return grant
        case .device: throw .notAMachine
        case .admin:
            guard let machine = database.operatorMachine else { throw Database.away(retryAfter: 2) }
            return MachineGrant(keyID: nil, machine: machine, machineName: Database.operatorMachineName)
        }
    }

    func rateHeaders(_ grant: MachineGrant) -> [(name: String, value: String)] {
        grant.keyID.flatMap { rateLimiter.peek(keyID: $0, now: clock()) }?.headers ?? []
    }

    func refuse(_ request: HTTPRequest, _ kind: IngestKind, _ error: APIError) -> HTTPResponse {
        var response = error.response(requestID: request.requestID)
        if error.status != 401, error.status != 403, let grant = try? grant(request) {
            response.headers += rateHeaders(grant)
        }
        return finish(response, request, route: kind.rawValue)
    }
}

/// A request whose events are on their way to the database.
struct PendingIngest: Sendable {
    let context: ServerContext
    let request: HTTPRequest
    let kind: IngestKind
    let items: [DecodedItem]
    let events: [MonitorEvent]
    private let grant: MachineGrant
    private let receivedAt: Timestamp

    init(context: ServerContext, request: HTTPRequest, kind: IngestKind, items: [DecodedItem], grant: MachineGrant) {
        self.context = context
        self.kind = kind
        self.items = items
        self.grant = grant
        var request = request
        request.body = []
        self.request = request
        events = items.compactMap { if case .event(let event, _) = $0 { event } else { nil } }
        receivedAt = context.clock()
    }

    /// `outcomes` belong to `events`, in order.
    func response(outcomes: [AppendOutcome]) -> HTTPResponse {
        count(outcomes)
        if let retryAfter = outcomes.lazy.compactMap(\.retryAfter).first {
            return context.refuse(request, kind, Database.away(retryAfter: retryAfter))
        }
        var response = body(outcomes)
        response.headers += context.rateHeaders(grant)
        return context.finish(response, request, route: kind.rawValue)
    }

    private func body(_ outcomes: [AppendOutcome]) -> HTTPResponse {
        switch kind {
        case .hook:
            if case .rejected(let error)? = outcomes.first {
                return error.apiError.response(requestID: request.requestID)
            }
            return .json(Array("{}".utf8))
        case .events:
            return IngestAnswer(outcomes: merged(outcomes)).response(requestID: request.requestID)
        }
    }

    /// One outcome for each item of the request, in its order.
    private func merged(_ outcomes: [AppendOutcome]) -> [IngestOutcome] {
        var committed = outcomes[...]
        return items.map { item in
            switch item {
            case .rejected(let eventID, let error): .rejected(eventID: eventID, error)
            case .event(let event, let sentID):
                PendingIngest.outcome(
                    of: sentID ?? event.id.description,
                    committed.popFirst() ?? .unavailable(retryAfter: 2)
                )
            }
        }
    }

    private static func outcome(of eventID: String, _ outcome: AppendOutcome) -> IngestOutcome {
        switch outcome {
        case .accepted(let seq): .accepted(eventID: eventID, seq: seq)
        case .duplicate(let seq): .duplicate(eventID: eventID, seq: seq)
        case .rejected(let error): .rejected(eventID: eventID, error.apiError)
        case .unavailable(let retryAfter): .rejected(eventID: eventID, Database.away(retryAfter: retryAfter))
        }
    }

    private func count(_ outcomes: [AppendOutcome]) {
        let seconds = context.clock().seconds(since: receivedAt)
        context.metrics.update { counts in
            counts.rejected += Int64(items.count - events.count)
            for outcome in outcomes {
                switch outcome {
                case .accepted: counts.accepted += 1
                case .duplicate: counts.duplicates += 1
                case .rejected: counts.rejected += 1
                case .unavailable: counts.unavailable += 1
                }
            }
            if !outcomes.isEmpty { counts.commitLatency.observe(seconds) }
        }
    }
}

extension APIError {
    fileprivate static let notAMachine = APIError(
        .permission,
        status: 403,
        code: "insufficient_scope",
        message: "Only machines post events."
    )
}

extension AppendOutcome {
    fileprivate var retryAfter: Int? {
        guard case .unavailable(let retryAfter) = self else { return nil }
        return retryAfter
    }
}

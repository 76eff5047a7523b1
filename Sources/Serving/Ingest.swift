internal import Access
internal import Devices
internal import EventIngest
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Listener
internal import Persistence
internal import Telemetry

/// Decodes on the loop, commits on the writer's thread or spools on the spool's thread, and answers on the loop.
extension LoopHandler {
    /// All checks that do not need the body: the sender, its rate limit, and whether events can be stored.
    ///
    /// - Parameter bodyLength: nil if the request does not announce it.
    func admitIngest(_ request: HTTPRequest, _ kind: IngestKind, bodyLength: Int?) -> Admission {
        var grant: MachineGrant?
        let keys = context.authenticator.keysGeneration
        do throws(APIError) {
            let sender = try context.grant(request)
            grant = sender
            try LoopHandler.checkParameters(of: request)
            context.noteReport(of: sender.machine, request)
            try context.pipeline.check()
            try context.shares.check(bodyLength ?? 0, from: sender.machine)
            if let keyID = sender.keyID { context.keys.accepted(keyID, at: context.clock()) }
            return .read(
                limit: context.maxBody,
                sender: .known(sender.keyID.map { "key \($0)" } ?? "operator"),
                note: AdmittedSender(grant: sender, keys: keys)
            )
        } catch {
            return .refuse(context.refuse(request, kind, error, grant))
        }
    }

    func handleIngest(
        _ request: HTTPRequest,
        _ kind: IngestKind,
        exchange: ExchangeID,
        on loop: isolated NetworkLoop
    ) {
        var grant: MachineGrant?
        do throws(APIError) {
            let sender = try context.grant(admitted: request)
            grant = sender
            let answer = try pending(request, kind, sender)
            guard !answer.events.isEmpty else {
                answer.count([])
                return loop.respond(exchange, answer.response(outcomes: []))
            }
            gather(answer, exchange, on: loop)
        } catch {
            loop.respond(exchange, context.refuse(request, kind, error, grant))
        }
    }

    private func pending(
        _ request: HTTPRequest,
        _ kind: IngestKind,
        _ sender: MachineGrant
    ) throws(APIError) -> PendingIngest {
        if let wish = try HoldWish(request, kind) { return try pendingHold(request, kind, sender, wish) }
        let decoded = try decode(request, kind, sender)
        return try PendingIngest(context: context, request: request, kind: kind, decoded: decoded, grant: sender)
    }

    private func gather(_ pending: PendingIngest, _ exchange: ExchangeID, on loop: isolated NetworkLoop) {
        gathered.add(pending, exchange)
        // An idle writer starts while the loop continues to read: neither waits for the other.
        if gathered.isFull || (gathered.isWorthACommit && context.pipeline.isIdle) { submitGathered(on: loop) }
    }

    func submitGathered(on loop: isolated NetworkLoop) {
        guard !gathered.isEmpty else { return }
        publications.submitted(posts: gathered.count)
        context.pipeline.submit(gathered.take(answeringTo: context.answers))
    }

    private func decode(
        _ request: HTTPRequest,
        _ kind: IngestKind,
        _ grant: MachineGrant
    ) throws(APIError) -> DecodedPost {
        let now = context.clock()
        switch kind.content {
        case .envelopes:
            let items = try decoder.decodeEvents(
                body: request.body,
                contentType: request.headers["content-type"],
                contentEncoding: request.headers["content-encoding"],
                machine: grant.machine,
                machineName: grant.machineName,
                now: now
            )
            return DecodedPost(items: items)
        case .hook(let form):
            let event = try decoder.decodeHook(
                body: request.body,
                form: form,
                contentType: request.headers["content-type"],
                contentEncoding: request.headers["content-encoding"],
                machine: grant.machine,
                machineName: grant.machineName,
                now: now
            )
            return DecodedPost(items: [.event(event, sentID: nil)])
        case .telemetry(let signal):
            let batch = try telemetry.decode(
                request,
                signal,
                machine: grant.machine,
                machineName: grant.machineName,
                now: now
            )
            if let version = batch.clientVersion { context.database.clientVersions.heard(version) }
            context.metrics.update { $0.telemetryDropped += Int64(batch.dropped) }
            return DecodedPost(
                items: batch.events.map { .event($0, sentID: nil) },
                telemetry: (signal, batch.format, batch.refused)
            )
        }
    }
}

/// The items of a post.
struct DecodedPost {
    var items: [DecodedItem]
    /// How to answer an export of telemetry, and how many of its records were refused.
    var telemetry: (signal: OTLPSignal, format: OTLPFormat, refused: Int)?
}

/// The sender of a request, determined when its head arrived.
private struct AdmittedSender: CountedAdmission {
    let grant: MachineGrant
    /// `Authenticator.keysGeneration` read before the sender was determined.
    let keys: UInt64
}

extension ServerContext {
    /// Like `grant`, for a request whose head was admitted. Checks again only if the keys have changed since.
    fileprivate func grant(admitted request: HTTPRequest) throws(APIError) -> MachineGrant {
        if let sender = request.admission as? AdmittedSender, sender.keys == authenticator.keysGeneration {
            return sender.grant
        }
        return try grant(request)
    }

    /// The machine to which the events belong. Events that the operator posts belong to a separate machine.
    func grant(_ request: HTTPRequest) throws(APIError) -> MachineGrant {
        let principal = try authorizationGuard.authorize(request.showingHookToken, for: IngestKind.capability)
        switch principal.holder {
        case .machine(let grant): return grant
        case .device, .apiKey: throw .insufficientScope(principal.lacking(IngestKind.capability))
        case .admin:
            guard let grant = keys.operatorGrant else { throw database.unavailable }
            return grant
        }
    }

    func rateHeaders(_ grant: MachineGrant) -> [(name: String, value: String)] {
        authorizationGuard.rateHeaders(Principal(.machine(grant)))
    }

    /// - Parameter grant: the sender's grant, if the sender is known.
    func refuse(
        _ request: HTTPRequest,
        _ kind: IngestKind,
        _ error: APIError,
        _ grant: MachineGrant?
    ) -> HTTPResponse {
        var response = kind.response(error, to: request)
        if let grant { response.headers += rateHeaders(grant) }
        return finish(response, request, route: kind.rawValue)
    }
}

/// A request whose events are being written to the database or the spool.
final class PendingIngest: Sendable {
    let context: ServerContext
    let request: HTTPRequest
    let kind: IngestKind
    let events: [MonitorEvent]
    /// In the order of the request.
    private let items: [Item]
    private let telemetry: (signal: OTLPSignal, format: OTLPFormat, refused: Int)?
    let grant: MachineGrant
    private let receivedAt: Timestamp
    private let share: IngestShares.Lease
    /// Set if the hook waits for an answer.
    let hold: PendingHold?

    private enum Item {
        /// The next element of `events`, and the sender's id for it.
        case event(id: String)
        case rejected(id: String?, APIError)
    }

    init(
        context: ServerContext,
        request: HTTPRequest,
        kind: IngestKind,
        decoded: DecodedPost,
        grant: MachineGrant,
        hold: PendingHold? = nil
    ) throws(APIError) {
        self.context = context
        self.hold = hold
        self.kind = kind
        self.grant = grant
        var bodiless = request
        bodiless.body = []
        self.request = bodiless
        var events: [MonitorEvent] = []
        events.reserveCapacity(decoded.items.count)
        telemetry = decoded.telemetry
        items = decoded.items.map { item in
            switch item {
            case .rejected(let eventID, let error): return .rejected(id: eventID, error)
            case .event(let event, let sentID):
                events.append(event)
                return .event(id: kind == .hook || kind == .prompt ? "" : sentID ?? event.id.description)
            }
        }
        self.events = events
        receivedAt = context.steadyClock()
        share = try context.shares.lease(events, from: grant.machine)
    }

    /// `outcomes` are in the order of `events`.
    func response(outcomes: [IngestOutcome]) -> HTTPResponse {
        for case .unavailable(let error) in outcomes { return context.refuse(request, kind, error, grant) }
        var response = body(outcomes)
        response.headers += context.rateHeaders(grant)
        return context.finish(response, request, route: kind.rawValue)
    }

    private func body(_ outcomes: [IngestOutcome]) -> HTTPResponse {
        if kind == .events {
            return IngestAnswer(items: merged(outcomes)).response(requestID: request.requestID)
        }
        if let telemetry {
            let refused = outcomes.count { if case .rejected = $0 { true } else { false } } + telemetry.refused
            return OTLPAnswer.success(
                telemetry.signal,
                telemetry.format,
                rejected: refused,
                reason: refused == 0 ? "" : "records that cannot be read or stored, or too many in one request"
            )
        }
        if case .rejected(let error)? = outcomes.first { return error.response(requestID: request.requestID) }
        return kind == .hook || kind == .prompt ? .json(Array("{}".utf8)) : taken(outcomes.first)
    }

    /// The senders of other monitors only check for status 200.
    private func taken(_ outcome: IngestOutcome?) -> HTTPResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("ok", true)
        writer.field("event_id", events.first?.id.description)
        switch outcome {
        case .accepted(let seq)?, .duplicate(let seq)?: writer.field("seq", seq)
        default: break
        }
        writer.endObject()
        return .json(writer.bytes)
    }

    /// Returns one outcome for each item of the request, in its order.
    private func merged(_ outcomes: [IngestOutcome]) -> [IngestAnswer.Item] {
        var settled = outcomes[...]
        return items.map { item in
            switch item {
            case .rejected(let id, let error): .init(id, .rejected(error))
            case .event(let id): .init(id, settled.popFirst() ?? .unavailable(.databaseUnavailable(retryAfter: 2)))
            }
        }
    }

    /// Counts the outcomes in the metrics. Called once, as soon as they are known.
    func count(_ outcomes: [IngestOutcome]) {
        let seconds = context.steadyClock().seconds(since: receivedAt)
        context.metrics.update { counts in
            counts.rejected += Int64(items.count - events.count)
            for outcome in outcomes {
                switch outcome {
                case .spooled: counts.spooled += 1
                case .accepted: counts.accepted += 1
                case .duplicate: counts.duplicates += 1
                case .rejected: counts.rejected += 1
                case .unavailable: counts.unavailable += 1
                }
            }
            if let first = outcomes.first, first != .spooled { counts.commitLatency.observe(seconds) }
        }
    }
}

internal import EventIngest
internal import EventModel
internal import HTTPModel
internal import Listener
internal import Prompts

/// A request from a hook that wants to wait, before its body is read.
enum HoldWish {
    case polling(HoldRequest)
    /// `POST /api/hooks?hold=`: seconds until the hook gives up.
    case holding(seconds: Int64)

    private static let holdRange: ClosedRange<Int64> = 1...3600

    /// Returns `nil` for a request that is answered after its commit.
    init?(_ request: HTTPRequest, _ kind: IngestKind) throws(APIError) {
        switch kind {
        case .prompt: self = .polling(try HoldRequest(request.headers))
        case .hook:
            let query = QueryParameters(request.query)
            guard let seconds = try query.integer("hold", in: HoldWish.holdRange) else { return nil }
            self = .holding(seconds: seconds)
        default: return nil
        }
    }
}

/// What a hook waits for, while its event is being committed.
struct PendingHold {
    var request: HoldRequest
    var content: HeldContent
}

extension PendingIngest {
    /// The hook continues to wait, because its event is stored.
    func isHeld(after outcomes: [IngestOutcome]) -> Bool {
        guard hold != nil else { return false }
        switch outcomes.first {
        case .accepted, .duplicate, .spooled: return true
        default: return false
        }
    }
}

/// Hooks that wait for an answer. The loop keeps their connections; `HoldService` decides.
extension LoopHandler {
    func pendingHold(
        _ request: HTTPRequest,
        _ kind: IngestKind,
        _ sender: MachineGrant,
        _ wish: HoldWish
    ) throws(APIError) -> PendingIngest {
        let held = try decoder.decodeHeld(
            body: request.body,
            isEnvelope: kind == .prompt,
            contentType: request.headers["content-type"],
            contentEncoding: request.headers["content-encoding"],
            machine: sender.machine,
            machineName: sender.machineName,
            now: context.clock()
        )
        let name = held.event.hookEventName?.known
        let canWait = name == .permissionRequest || name == .elicitation
        guard canWait || kind == .hook else {
            throw .invalid("invalid_hold", "Only PermissionRequest and Elicitation can wait for an answer.")
        }
        return try PendingIngest(
            context: context,
            request: request,
            kind: kind,
            decoded: DecodedPost(items: [.event(held.event, sentID: nil)]),
            grant: sender,
            hold: canWait ? PendingHold(wish, held) : nil
        )
    }

    func hold(
        _ pending: PendingIngest,
        _ outcomes: [IngestOutcome],
        _ exchange: ExchangeID,
        on loop: isolated NetworkLoop
    ) {
        guard let hold = pending.hold, let event = pending.events.first else { return }
        let poll = HoldPoll(
            request: hold.request,
            eventID: event.id,
            machine: pending.grant.machine,
            content: hold.content,
            isCommitted: outcomes.first != .spooled
        )
        let key = HoldKey(machine: pending.grant.machine, id: hold.request.id)
        let endsWithConnection = hold.request.endsWithConnection
        let isLast = hold.request.seconds <= hold.request.waitSeconds
        let holds = context.prompts.holds
        // This object outlives the pending post, which counts towards the machine's share of the queue.
        let waiting = WaitingHook(pending)
        let number = holds.poll(poll) { [loop] answer in
            loop.post { loop in loop.respond(exchange, waiting.response(to: answer)) }
        }
        guard let number else { return }
        loop.wait(for: exchange, seconds: hold.request.waitSeconds) { end, _ in
            holds.pollEnded(key, number, isOver: end == .clientGone && endsWithConnection)
            guard end == .deadline else { return nil }
            return waiting.response(to: isLast ? .askLocally : .again)
        }
    }

    func tickHolds() { context.prompts.holds.tick() }
}

extension PendingHold {
    /// Seconds before the hook's own limit at which it is answered.
    private static let marginSeconds = 5.0

    fileprivate init(_ wish: HoldWish, _ held: HeldHook) {
        content = HeldContent(sent: held.sent, shown: held.shown)
        switch wish {
        case .polling(let request): self.request = request
        case .holding(let seconds):
            let left = max(1, Double(seconds) - PendingHold.marginSeconds)
            request = HoldRequest(id: held.event.id.description, seconds: left)
            request.endsWithConnection = true
        }
    }
}

/// The parts of a waiting hook's request that its answer needs.
private struct WaitingHook: Sendable {
    private let context: ServerContext
    private let request: HTTPRequest
    private let grant: MachineGrant
    private let route: String

    init(_ pending: PendingIngest) {
        (context, grant, route) = (pending.context, pending.grant, pending.kind.rawValue)
        var request = HTTPRequest(method: .post, path: pending.request.path, requestID: pending.request.requestID)
        request.readableOrigin = pending.request.readableOrigin
        self.request = request
    }

    func response(to answer: HoldAnswer) -> HTTPResponse {
        var response: HTTPResponse
        switch answer {
        case .output(let bytes): response = .json(bytes)
        case .askLocally: response = .json(Array("{}".utf8))
        case .again: response = HTTPResponse(status: 204)
        }
        response.headers += context.rateHeaders(grant)
        return context.finish(response, request, route: route)
    }
}

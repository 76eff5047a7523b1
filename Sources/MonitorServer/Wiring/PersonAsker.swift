internal import EventIngest
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Logging
internal import MCP
internal import Persistence
internal import Prompts
internal import Serving
internal import Sessions

/// Asks people for programs that call `/mcp`. A request becomes an event and waits for its answer, both as a hook's.
struct PersonAsker: Sendable {
    let shared: SharedServices
    let holds: HoldService
    let ingest: IngestConfiguration
    private let turns = WaitTurns()

    init(shared: SharedServices, holds: HoldService, ingest: IngestConfiguration) {
        (self.shared, self.holds, self.ingest) = (shared, holds, ingest)
    }

    /// How long to look for the hook's event of the call, which may be in the machine's spool.
    private static let searchSeconds = 2.0
    private static let searchPause = 0.2
    /// Between two attempts to wait.
    private static let pause = 1.0
    /// How long a hook has to pass on an answer that only it can.
    private static let hookSeconds = 10.0
    /// After this time without a connection, the hold is gone as well.
    private static let graceSeconds = 65.0

    func open(_ call: AskedCall) async throws(APIError) -> OpenCall {
        let place = try await place(of: call)
        var held = try IngestDecoder(configuration: ingest).decodeHeld(
            body: call.hook(in: place),
            isEnvelope: false,
            contentType: nil,
            contentEncoding: nil,
            machine: call.grant.machine,
            machineName: call.grant.machineName,
            now: shared.clock()
        )
        // The same request has the same id, so repeating it changes nothing. Another input is another request.
        let input = held.event.facts.toolInputHash.map { String($0, radix: 16) } ?? ""
        held.event.id = EventID(
            name: "approve:\(call.toolUseID):\(call.toolName):\(input)",
            machine: call.grant.machine
        )
        if let time = place.time { held.event.timestamp = time }
        if let error = await shared.pipeline.commit([held.event]) { throw error }
        let open = OpenCall(
            event: held.event.id,
            machine: call.grant.machine,
            machineName: call.grant.machineName,
            session: place.session,
            toolUseID: call.toolUseID,
            until: shared.clock().adding(seconds: call.seconds),
            policy: call.policy,
            isAlone: place.isAlone
        )
        guard let prompt = try await holds.prompt(of: open.request) else { throw .nothingToAsk }
        guard prompt.asks(for: held.event.toolName, inputHash: held.event.facts.toolInputHash) else {
            throw .otherInput
        }
        if prompt.state == .open {
            holds.begin(poll(open, HeldContent(sent: held.sent, shown: held.shown), seconds: call.seconds))
        }
        return open
    }

    /// The newest connection of a call waits for its answer.
    func turn(_ call: OpenCall) -> PersonWait {
        let turn = turns.take(call.event)
        return { await answer(call, turn) }
    }

    private func answer(_ call: OpenCall, _ turn: WaitTurns.Turn) async -> PersonAnswer {
        while !Task.isCancelled, turn.isNewest {
            do throws(APIError) {
                if let answer = try await attempt(call) { return turn.isNewest ? answer : .elsewhere }
            } catch {
                // The database may be back before the time is over.
                guard error.status == 503, shared.clock() < call.until else {
                    return .denied(message: error.message, isInterrupt: false)
                }
            }
            try? await Task.sleep(for: .seconds(PersonAsker.pause))
        }
        return .elsewhere
    }

    /// - Returns: `nil` if this must be tried again.
    private func attempt(_ call: OpenCall) async throws(APIError) -> PersonAnswer? {
        guard let prompt = try await holds.prompt(of: call.request),
            let content = try await holds.content(of: call.request)
        else { return .gone }
        guard prompt.state == .open else { return try await verdict(prompt, call) }
        let left = call.until.seconds(since: shared.clock())
        guard left > 0 else {
            await holds.end(call.request.key, .expired, event: call.event)
            return .expired
        }
        switch await holds.ask(poll(call, content, seconds: left)) {
        case .output(let output):
            await finish(call)
            return PersonAnswer(hook: output)
        case .timedOut:
            await finish(call)
            return .expired
        case .cancelled: return nil
        }
    }

    /// What the log says of a prompt that is closed. An answer to the hook of the same call counts for this one too.
    private func verdict(_ prompt: Prompt, _ call: OpenCall) async throws(APIError) -> PersonAnswer {
        guard prompt.phase != .settled else { return .gone }
        switch (prompt.state, prompt.decision) {
        case (.answered, .allow):
            if try await holds.allowsUnchanged(prompt) { return .allowed(permissions: []) }
            // The hook has the changed input.
            try? await Task.sleep(for: .seconds(PersonAsker.hookSeconds))
            return .changed
        case (.answered, .deny):
            let said = prompt.answer?.said ?? "The user denied this from another device."
            return .denied(message: said, isInterrupt: false)
        case (.expired, _): return .expired
        default: return .gone
        }
    }

    /// A client that stays away is gone. If hooks wait for the same prompt, it is theirs.
    func left(_ call: OpenCall) {
        Task {
            try? await Task.sleep(for: .seconds(PersonAsker.graceSeconds))
            guard !holds.isAwaited(call.request), !holds.isShared(call.request) else { return }
            await holds.end(call.request.key, call.isAlone ? .gone : .released, event: call.event)
            await finish(call)
        }
    }

    /// Ends the session of a call whose own nobody knows.
    private func finish(_ call: OpenCall) async {
        guard call.isAlone else { return }
        let now = shared.clock()
        let event = MonitorEvent(
            id: EventID(name: "approve:over:\(call.event)", machine: call.machine),
            type: .sessionGone,
            hookEventName: nil,
            timestamp: now,
            receivedAt: now,
            machine: call.machine,
            machineName: call.machineName,
            sessionID: call.session,
            projectPath: nil,
            toolName: nil,
            summary: "A call that was asked about by itself is over",
            payload: Array(#"{"by":"approve"}"#.utf8),
            facts: SessionFacts(detail: "gone")
        )
        _ = await shared.pipeline.submit([event])
    }

    private func poll(_ call: OpenCall, _ content: HeldContent, seconds: Double) -> HoldPoll {
        // Claude Code runs the call with its own input, so no answer may change it.
        let words = (call.policy ?? "").split(separator: " ").filter { !$0.hasPrefix("change_input=") }
        let policy = HoldPolicy((words + ["after=deny"]).joined(separator: " "))
        var request = HoldRequest(id: call.request.key.id, seconds: seconds, policy: policy)
        request.hasTerminal = false
        return HoldPoll(
            request: request,
            eventID: call.event,
            machine: call.machine,
            content: content,
            isCommitted: true
        )
    }

    /// Where a call belongs.
    private func place(of call: AskedCall) async throws(APIError) -> CallPlace {
        let (machine, id) = (call.grant.machine, call.toolUseID)
        let until = shared.steadyClock().adding(seconds: PersonAsker.searchSeconds)
        while true {
            let start = try await shared.database.answering.use { store throws(PersistenceError) in
                try await store.start(ofCall: id, on: machine)
            }
            if let start, let session = start.event.sessionID {
                return CallPlace(session: session, start: start.event, now: shared.clock())
            }
            if let session = call.session { return CallPlace(session: session) }
            guard shared.steadyClock() < until else { break }
            try? await Task.sleep(for: .seconds(PersonAsker.searchPause))
        }
        return CallPlace(alone: EventID(name: "approve:session:\(id)", machine: machine).description)
    }
}

/// The session of a call that a person is asked about.
struct CallPlace: Sendable, Equatable {
    var session: String
    var agentID: String?
    /// The present time by the clock of the machine.
    var time: Timestamp?
    /// Whether the session is only of this call.
    var isAlone = false

    init(session: String) { self.session = session }

    init(alone session: String) { (self.session, isAlone) = (session, true) }

    /// - Parameter start: the event with which the machine's hook reported the start of the call.
    init(session: String, start: MonitorEvent, now: Timestamp) {
        (self.session, agentID) = (session, start.facts.agentID)
        let passed = max(0, now.microseconds - start.receivedAt.microseconds)
        time = Timestamp(microseconds: start.order.time.microseconds + passed)
    }
}

extension OpenCall {
    fileprivate var request: AskedRequest {
        AskedRequest(
            key: HoldKey(machine: machine, id: event.description),
            eventID: event,
            session: session,
            call: toolUseID
        )
    }
}

extension AskedCall {
    /// The request as a hook would report it.
    fileprivate func hook(in place: CallPlace) -> [UInt8] {
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        writer.field("hook_event_name", "PermissionRequest")
        writer.field("session_id", place.session)
        writer.field("agent_id", place.agentID)
        writer.field("tool_name", toolName)
        writer.field("tool_use_id", toolUseID)
        writer.key("tool_input")
        writer.value(input)
        writer.endObject()
        return writer.bytes
    }
}

extension PersonAnswer {
    fileprivate static let expired = PersonAnswer.denied(message: "Nobody answered in time.", isInterrupt: false)
    fileprivate static let gone = PersonAnswer.denied(
        message: "The session went on without an answer.",
        isInterrupt: false
    )
    fileprivate static let changed = PersonAnswer.denied(
        message: "The call was allowed with another input, which cannot be passed on this way. Try again.",
        isInterrupt: false
    )

    /// - Parameter output: as a hook would print it.
    fileprivate init(hook output: [UInt8]) {
        let json = try? JSONValue.parse(output, maxDepth: 200)
        let decision = json?["hookSpecificOutput"]?["decision"] ?? .null
        guard decision["behavior"]?.string == "allow" else {
            self = .denied(
                message: decision["message"]?.string ?? "The user denied this from another device.",
                isInterrupt: decision["interrupt"]?.bool ?? false
            )
            return
        }
        let isChanged = decision["updatedInput"] != nil
        self = isChanged ? .changed : .allowed(permissions: decision["updatedPermissions"]?.array ?? [])
    }
}

extension APIError {
    fileprivate static let nothingToAsk = APIError(
        .conflict,
        status: 409,
        code: "prompt_gone",
        message: "The session no longer waits for this."
    )

    fileprivate static let otherInput = APIError(
        .permission,
        status: 403,
        code: "not_this_call",
        message: "Another input was asked about under the id of this call."
    )
}

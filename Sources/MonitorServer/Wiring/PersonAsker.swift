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
        let place = try await place(ofCall: call.toolUseID, call.session, alone: call.toolUseID, call.grant)
        var held = try decoded(call.hook(in: place), call.grant)
        // The same request has the same id, so repeating it changes nothing. Another input is another request.
        let input = held.event.facts.toolInputHash.map { String($0, radix: 16) } ?? ""
        held.event.id = EventID(
            name: "approve:\(call.toolUseID):\(call.toolName):\(input)",
            machine: call.grant.machine
        )
        return try await open(held, in: place, as: call.toolUseID, call.policy, call.seconds, call.grant)
    }

    func decoded(_ hook: [UInt8], _ grant: MachineGrant) throws(APIError) -> HeldHook {
        try IngestDecoder(configuration: ingest).decodeHeld(
            body: hook,
            isEnvelope: false,
            contentType: nil,
            contentEncoding: nil,
            machine: grant.machine,
            machineName: grant.machineName,
            now: shared.clock()
        )
    }

    func open(
        _ held: HeldHook,
        in place: CallPlace,
        as callID: String,
        _ policy: String?,
        _ seconds: Double,
        _ grant: MachineGrant,
        choices: [String]? = nil
    ) async throws(APIError) -> OpenCall {
        var event = held.event
        if let time = place.time { event.timestamp = time }
        if let error = await shared.pipeline.commit([event]) { throw error }
        let now = shared.clock()
        var open = OpenCall(
            event: event.id,
            machine: grant.machine,
            machineName: grant.machineName,
            session: place.session,
            toolUseID: callID,
            until: now.adding(seconds: seconds),
            policy: policy,
            isAlone: place.isAlone
        )
        (open.choices, open.aheadMicroseconds) = (choices, place.time.map { $0.microseconds - now.microseconds } ?? 0)
        guard let prompt = try await holds.prompt(of: open.request) else { throw .nothingToAsk }
        guard prompt.asks(for: event.toolName, inputHash: event.facts.toolInputHash) else { throw .otherInput }
        if prompt.state == .open {
            holds.begin(poll(open, HeldContent(sent: held.sent, shown: held.shown), seconds: seconds))
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
        guard prompt.state == .open else {
            return try await (call.choices == nil ? verdict(prompt, call) : reply(prompt, call, content))
        }
        let left = call.until.seconds(since: shared.clock())
        guard left > 0 else {
            await holds.end(call.request.key, .expired, event: call.event)
            return .expired
        }
        switch await holds.ask(poll(call, content, seconds: left)) {
        case .output(let output):
            if call.choices != nil { return await replied(output, call) }
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
        let departure = shared.clock()
        Task {
            try? await Task.sleep(for: .seconds(PersonAsker.graceSeconds))
            guard !holds.isAwaited(call.request), !holds.isShared(call.request),
                await !holds.hasReturned(call.request, after: departure)
            else { return }
            // Nobody at a terminal can answer a question.
            let end: PromptUpdate.Step = call.isAlone || call.choices != nil ? .gone : .released
            await holds.end(call.request.key, end, event: call.event)
            await finish(call)
        }
    }

    /// Ends the session of a call whose own nobody knows.
    func finish(_ call: OpenCall) async {
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

    func poll(_ call: OpenCall, _ content: HeldContent, seconds: Double) -> HoldPoll {
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
    ///
    /// - Parameters:
    ///   - id: Claude's id of the call; `nil` if the caller is another program.
    ///   - told: the session that the caller names.
    ///   - alone: names a session that is only of this call.
    func place(
        ofCall id: String?,
        _ told: String?,
        alone: String,
        _ grant: MachineGrant
    ) async throws(APIError) -> CallPlace {
        let until = shared.steadyClock().adding(seconds: PersonAsker.searchSeconds)
        while let id {
            let start = try await shared.database.answering.use { store throws(PersistenceError) in
                try await store.start(ofCall: id, on: grant.machine)
            }
            if let start, let session = start.event.sessionID {
                return CallPlace(session: session, start: start.event, now: shared.clock())
            }
            guard shared.steadyClock() < until else { break }
            try? await Task.sleep(for: .seconds(PersonAsker.searchPause))
        }
        if let told { return CallPlace(session: told) }
        return CallPlace(alone: EventID(name: "approve:session:\(alone)", machine: grant.machine).description)
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

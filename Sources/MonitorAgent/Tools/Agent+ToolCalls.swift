internal import ClaudeRunner
internal import Host
internal import JSON
internal import Logging
internal import MachinePolicy
internal import Masking
internal import Workers

/// The client that makes a call.
struct ToolCaller: Sendable {
    let session: ClaudeSession
    /// The key of the session, or of the process that only runs tools.
    let key: String
    let directory: String

    init(_ session: ClaudeSession, _ key: String, _ directory: String) {
        (self.session, self.key, self.directory) = (session, key, directory)
    }
}

/// Calls of MCP servers' tools. The client of a session makes them, so that its own rules and hooks decide; before
/// that, a person is asked.
extension Agent {
    /// How long a tool may run. Claude Code takes no longer time.
    private static let runSeconds = 600.0
    /// Seconds for an answer to reach the server.
    private static let replySeconds = 5.0
    private static let promptPrefix = "tool-call:"
    /// How Claude Code begins its answer when it did not call a tool. A server can begin its errors so, too.
    private static let deniedWords = "The tool did not run"

    /// Asks a person. Returns when the call is approved, so that the time of the tool begins then.
    func askTool(
        _ request: AgentCommand.AskTool,
        _ command: AgentCommand,
        in caller: ToolCaller
    ) async throws -> JSONValue {
        let end = now + command.seconds - Agent.replySeconds
        let check = check()
        let directory = try check.runTools(caller.directory)
        guard await caller.session.callsTools else {
            throw CommandRefusal(
                .outdatedClient,
                "This version of Claude Code would call the tool without asking anybody. Update it on the machine."
            )
        }
        let call = ToolCalls.Call(
            id: command.id,
            key: caller.key,
            name: ClaudeToolName.of(server: request.server, tool: request.tool),
            arguments: request.arguments,
            by: command.by,
            request: request
        )
        try await requireLeft(call.name, in: caller)
        try toolCalls.ask(call)
        do {
            let status = try await caller.session.request(.mcpStatus)
            try await require(request, in: directory, check, of: status)
            try await decision(on: call, by: caller, directory, until: end).require()
        } catch {
            toolCalls.remove(call.id)
            throw error
        }
        toolCalls.approve(call.id, now: now)
        ticker.notify()
        return .object([("approved", .bool(true))])
    }

    /// Has the client call the tool of an approved call. It is called once: a repeat finds no approval.
    func runTool(
        _ approved: AgentCommand.ApprovedTool,
        _ command: AgentCommand,
        in caller: ToolCaller
    ) async throws -> JSONValue {
        let check = check()
        let directory = try check.runTools(caller.directory)
        if let asked = toolCalls.approved(approved.call, in: caller.key) {
            // A person may have taken an hour to decide.
            do {
                let status = try await caller.session.request(.mcpStatus)
                try await require(asked, in: directory, check, of: status)
            } catch {
                toolCalls.remove(approved.call)
                throw error
            }
        }
        let call = try toolCalls.begin(approved.call, in: caller.key, now: now)
        do throws(ClaudeError) {
            let reply = try await caller.session.callTool(
                call.name,
                call.arguments,
                seconds: max(
                    1,
                    min(Agent.runSeconds, command.seconds - Agent.replySeconds - ClaudeSession.cancelSeconds)
                )
            )
            guard let result = ToolResult(reply) else { throw ClaudeError.noReply }
            toolCalls.finish(call.id, result.bytes, now: now)
        } catch {
            guard case .refused(let reason) = error, !reason.hasPrefix(Agent.deniedWords) else {
                toolCalls.remove(call.id)
                throw Agent.refusal(ofCall: error)
            }
            toolCalls.finish(call.id, ToolResult(failure: reason).bytes, now: now)
        }
        ticker.notify()
        return try toolResult(of: call.id, from: 0)
    }

    private static func refusal(ofCall error: ClaudeError) -> CommandRefusal {
        switch error {
        case .denied(let reason):
            CommandRefusal(.deniedByMachine, String(SecretMasker.masked(reason).prefix(2000)))
        case .refused(let reason):
            CommandRefusal(
                .outcomeUnknown,
                "Claude Code or the tool's server says: \(SecretMasker.masked(reason).prefix(2000))"
            )
        default: CommandRefusal(.outcomeUnknown, "Whether the tool ran to its end is not known: \(error).")
        }
    }

    func toolResult(of call: String, from offset: Int) throws -> JSONValue {
        let (text, bytes) = try toolCalls.piece(of: call, from: offset)
        return .object([("piece", .string(text)), ("bytes", .integer(Int64(bytes)))])
    }

    // MARK: The person

    private func decision(
        on call: ToolCalls.Call,
        by caller: ToolCaller,
        _ directory: String,
        until end: Double
    ) async throws -> ToolCallDecision {
        let prompt = OpenPrompt(
            id: Agent.promptPrefix + call.id,
            toolUseID: "toolu_monitor_" + call.id,
            agentID: nil,
            toolName: call.name,
            request: .object([("tool_name", .string(call.name)), ("input", call.arguments)])
        )
        let snapshot = await caller.session.snapshot
        let hook = PromptEnvelope.hook(prompt, session: snapshot.sessionID, directory: directory, mode: snapshot.mode)
        let verdict = verdict(on: hook, in: directory).forCall(atMost: Int(end - now))
        // The connection of the server that asked may have ended meanwhile.
        let isHost = callHosts[call.key] != nil
        guard link.node != nil, isHost || table.lines[call.key] != nil else { return .abandoned }
        callHosts[call.key]?.hasAsked = true
        return await withCheckedContinuation { decide in
            deciders[prompt.id] = (call.key, decide)
            let time = "\(SystemClock.now())"
            Task {
                await perform(
                    table.promptOpened(prompt, hook, verdict, in: call.key, isHost: isHost, at: time, now: now)
                )
            }
        }
    }

    /// Returns false if nobody waits for a decision about the prompt.
    func decide(_ prompt: String, _ decision: @autoclosure () -> ToolCallDecision) -> Bool {
        guard let decider = deciders.removeValue(forKey: prompt) else { return false }
        decider.decide.resume(returning: decision())
        return true
    }

    /// The client asks whether it may make a call for which it was asked. A person has approved this call already.
    func permit(_ prompt: OpenPrompt, in session: ClaudeSession, _ key: String) async {
        let isPermitted = toolCalls.permits(prompt, in: key)
        let reply =
            isPermitted
            ? PromptReply.allow(updatedInput: nil, permissions: [])
            : .deny(message: "The call is not the one that a person has approved.", interrupt: false)
        record(
            "tool call",
            [("session_id", .string(key)), ("tool", .string(prompt.toolName)), ("allowed", .bool(isPermitted))]
        )
        do throws(ClaudeError) {
            _ = try await session.answer(prompt: prompt.id, reply)
        } catch {
            logger.warning("a call could not be answered", metadata: ["session": "\(key)", "error": "\(error)"])
        }
    }

    // MARK: Ends

    /// The server that asked does not hear of an approval any more, so no call that waits for one is made.
    func abandonCalls() async {
        toolCalls.removeAllButRunning()
        for (prompt, decider) in deciders {
            await perform(table.promptWithdrawn(prompt, in: decider.key, reason: "gone"))
            _ = decide(prompt, .abandoned)
        }
    }

    func abandonCalls(of key: String) {
        for (prompt, decider) in deciders where decider.key == key { _ = decide(prompt, .abandoned) }
    }
}

extension SessionTable.Verdict {
    /// The call is made with its own arguments or not at all, and no answer allows later ones.
    ///
    /// - Parameter seconds: after which nobody waits for the answer any more.
    fileprivate func forCall(atMost seconds: Int) -> SessionTable.Verdict {
        guard case .ask(let policy, let deniesAfter) = self else { return self }
        let words = policy.split(separator: " ").filter { !$0.hasPrefix("change_input=") && !$0.hasPrefix("always=") }
        return .ask(
            policy: words.joined(separator: " "),
            deniesAfter: max(1, min(deniesAfter ?? .max, seconds))
        )
    }
}

internal import ClaudeRunner
internal import EventModel
internal import JSON
internal import MachinePolicy
internal import Workers

/// A client that runs only to run tools in a directory, where no session is named.
struct CallHost: Sendable {
    let caller: ToolCaller
    /// The time since which the client has run no tool, in seconds of the agent's monotonic clock.
    var idleSince: Double
    /// The server knows its prompts as those of a session.
    var hasAsked = false
}

extension Agent {
    /// Clients of this kind at a time. Each takes about 170 MB.
    private static let mostCallHosts = 2
    /// Seconds without a call after which one ends, or fewer if the machine's file says so of sessions.
    private static let idleHostSeconds = 300

    /// The client for a call. One that runs in the directory is taken, else one is started.
    func host(for call: AgentCommand.AskTool) async throws -> ToolCaller {
        let check = check()
        let directory = try check.runTools(call.directory ?? "")
        if let known = callHosts.values.first(where: { $0.caller.directory == directory }) {
            callHosts[known.caller.key]?.idleSince = now
            return known.caller
        }
        try await makeRoomForHost()
        startingHosts += 1
        defer { startingHosts -= 1 }
        let session = try await startHost(in: directory, check)
        let caller = ToolCaller(session, await session.snapshot.sessionID, directory)
        callHosts[caller.key] = CallHost(caller: caller, idleSince: now)
        record("host started", [("host", .string(caller.key)), ("path", .string(directory))])
        Task {
            for await event in session.events { await take(event, ofHost: caller) }
        }
        ticker.notify()
        return caller
    }

    /// The client of an approved call.
    func host(of call: AgentCommand.ApprovedTool) throws(CommandRefusal) -> ToolCaller {
        guard let key = toolCalls.key(of: call.call), let host = callHosts[key] else {
            throw CommandRefusal(.approvalExpired, "Nobody has approved this call, or the approval is over.")
        }
        return host.caller
    }

    func host(ofHold id: String) -> ToolCaller? {
        table.holds[id].flatMap { callHosts[$0.key]?.caller }
    }

    private func makeRoomForHost() async throws {
        while callHosts.count + startingHosts >= Agent.mostCallHosts {
            let idle = callHosts.values.filter { !toolCalls.areIn($0.caller.key) }
            guard let oldest = idle.min(by: { $0.idleSince < $1.idleSince }) else {
                throw CommandRefusal(
                    .tooManyCommands,
                    "The machine's agent already runs tools in \(Agent.mostCallHosts) other folders."
                )
            }
            await end(oldest)
        }
    }

    private func startHost(in directory: String, _ check: CommandCheck) async throws -> ClaudeSession {
        let place = serverPlace(directory, check)
        var random = SystemRandomNumberGenerator()
        let id = EventID.version4(using: &random).description
        let refused = ProjectServers.names(in: directory).filter { !place.approved.contains($0) }
        let start = ClaudeStart(
            sessionID: id,
            directory: directory,
            executable: try program(check.file),
            environment: place.environment,
            stateDirectory: places.hosts + "/" + id,
            host: ToolHost(refusing: refused, denyRules: ClaudeSettings.denyRules(places, files, environment))
        )
        do throws(ClaudeStartError) {
            return try await ClaudeSession.start(start)
        } catch {
            ClaudeSession.removeFiles(stateDirectory: start.stateDirectory)
            throw Agent.refusal(error)
        }
    }

    private func take(_ event: ClaudeSessionEvent, ofHost caller: ToolCaller) async {
        switch event {
        case .promptOpened(let prompt) where prompt.isOfRequestedCall:
            await permit(prompt, in: caller.session, caller.key)
        case .promptOpened(let prompt):
            // A form of a server has no person to fill it in: only the call itself was asked about.
            let reply = SessionTable.denial(prompt, "Nobody can be asked here.")
            _ = try? await caller.session.answer(prompt: prompt.id, reply)
        case .exited: await hostEnded(caller)
        default: break
        }
    }

    private func hostEnded(_ caller: ToolCaller) async {
        guard let host = callHosts.removeValue(forKey: caller.key) else { return }
        for (prompt, decider) in deciders where decider.key == caller.key {
            await perform(table.promptWithdrawn(prompt, in: caller.key, reason: "gone"))
            _ = decide(prompt, .abandoned)
        }
        record("host ended", [("host", .string(caller.key))])
        if host.hasAsked { await perform(table.vanished(caller.key, directory: caller.directory, reason: "exit")) }
        ClaudeSession.removeFiles(stateDirectory: places.hosts + "/" + caller.key)
    }

    private func end(_ host: CallHost) async {
        _ = await host.caller.session.stop(killLeftovers: true)
        await hostEnded(host.caller)
    }

    // MARK: Idle ones

    private var idleHostLimit: Double {
        Double(min(files.agent().idleStop ?? Agent.idleHostSeconds, Agent.idleHostSeconds))
    }

    /// When the next one may have to end.
    func hostDeadline(now: Double) -> Double? {
        for key in callHosts.keys where toolCalls.areIn(key) { callHosts[key]?.idleSince = now }
        return callHosts.values.map(\.idleSince).min().map { $0 + idleHostLimit }
    }

    func endIdleHosts(now: Double) async {
        guard !callHosts.isEmpty else { return }
        let limit = idleHostLimit
        for host in callHosts.values where host.idleSince + limit <= now && !toolCalls.areIn(host.caller.key) {
            await end(host)
        }
    }

    func endCallHosts() async {
        for host in callHosts.values { await end(host) }
    }
}

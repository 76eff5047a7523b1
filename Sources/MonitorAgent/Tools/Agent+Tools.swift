internal import ClaudeRunner
internal import Host
internal import JSON
internal import MachinePolicy
internal import Masking
internal import Workers

/// The MCP servers of this machine, and their tools.
extension Agent {
    private static let serversAtOnce = 4
    /// Seconds for one server to answer: it may have to be installed first.
    private static let serverSeconds = 25.0
    /// Seconds for the answer to reach the server.
    private static let reserveSeconds = 2.0
    /// One message to the server has at most 1 MiB.
    private static let mostBytes = 768 << 10

    /// Says which MCP servers Claude Code has in a directory. The programs of a folder that nobody trusts are not
    /// started.
    func listTools(_ request: AgentCommand.ListTools, _ command: AgentCommand) async throws -> JSONValue {
        let check = check()
        let directory = try check.tools(request.directory)
        try workspacePlaces.enter(command.by)
        defer { workspacePlaces.leave(command.by) }
        let end = now + command.seconds
        let place = serverPlace(directory, check)
        let status = try await serverStatus(in: place, check)
        var servers = (status["mcpServers"]?.array ?? []).compactMap(ConfiguredServer.init)
        for name in ProjectServers.names(in: directory)
        where !place.approved.contains(name) && !servers.contains(where: { $0.name == name }) {
            servers.append(ConfiguredServer(unapproved: name))
        }
        let shown = Array(servers.prefix(ConfiguredServer.mostServers))
        return .object([
            ("directory", .string(directory)),
            ("servers", .array(await told(shown, in: place, until: end - Agent.reserveSeconds))),
            ("is_complete", .bool(servers.count == shown.count)),
        ])
    }

    /// Learns the tools of some servers at a time.
    private func told(
        _ servers: [ConfiguredServer],
        in place: ServerPlace,
        until end: Double
    ) async -> [JSONValue] {
        let plans = servers.map(place.plan)
        var told: [JSONValue] = []
        var room = Agent.mostBytes
        for first in stride(from: 0, to: servers.count, by: Agent.serversAtOnce) {
            let range = first..<min(servers.count, first + Agent.serversAtOnce)
            let seconds = max(1, min(Agent.serverSeconds, end - now))
            let outcomes = await Agent.outcomes(of: Array(plans[range]), seconds: seconds)
            for (server, outcome) in zip(servers[range], outcomes) {
                if let list = outcome.list {
                    listedTools.note(list.tools, of: server, in: place.directory, now: now)
                }
                var json = server.json(state: outcome.state, reason: outcome.reason, outcome.list)
                let size = Agent.size(json)
                if size > room { json = server.json(state: outcome.state, reason: "too_long", nil) }
                room -= min(size, room)
                told.append(json)
            }
        }
        return told
    }

    private struct Outcome: Sendable {
        var state: String
        var reason: String?
        var list: ToolList?
    }

    private static func outcomes(of plans: [ConfiguredServer.Plan], seconds: Double) async -> [Outcome] {
        await withTaskGroup(of: (Int, Outcome).self) { group in
            for (index, plan) in plans.enumerated() {
                group.addTask { (index, await outcome(of: plan, seconds: seconds)) }
            }
            var found: [Int: Outcome] = [:]
            for await (index, outcome) in group { found[index] = outcome }
            return plans.indices.compactMap { found[$0] }
        }
    }

    private static func outcome(of plan: ConfiguredServer.Plan, seconds: Double) async -> Outcome {
        switch plan {
        case .leave(let state, let reason): return Outcome(state: state, reason: reason)
        case .start(let start):
            do throws(ToolServerFault) {
                return Outcome(
                    state: "connected",
                    list: try await start.list(seconds: seconds, clock: SystemClock.monotonicSeconds)
                )
            } catch {
                return Outcome(state: "failed", reason: SecretMasker.masked(error.message))
            }
        }
    }

    private static func size(_ json: JSONValue) -> Int {
        var writer = JSONWriter()
        writer.value(json)
        return writer.bytes.count
    }

    /// What a client tells of its servers. It is started for that: one that runs already read the configuration when
    /// it started, and does not know of a server that was added since.
    private func serverStatus(in place: ServerPlace, _ check: CommandCheck) async throws -> JSONValue {
        let status = try await askHost(
            in: place.directory,
            program: try program(check.file),
            environment: place.environment,
            refusing: ProjectServers.names(in: place.directory).filter { !place.approved.contains($0) }
        ) { await Agent.settledStatus($0) }
        guard let status else { throw CommandRefusal(.failed, "Claude Code does not tell its servers.") }
        return status
    }

    /// The status when the client knows of the servers that it reaches by the network, or some seconds later.
    private static func settledStatus(_ session: ClaudeSession) async -> JSONValue? {
        var status: JSONValue?
        for _ in 0..<20 {
            guard let told = try? await session.request(.mcpStatus) else { return status }
            status = told
            let servers = (told["mcpServers"]?.array ?? []).compactMap(ConfiguredServer.init)
            if !servers.contains(where: \.isPendingRemote) { return status }
            try? await Task.sleep(for: .milliseconds(250))
        }
        return status
    }

    /// Ends the clients that only tell their servers, and waits until nothing of this agent writes their files.
    func awaitHostEnds() async {
        await endLeftHosts()
        for _ in 0..<100 where hosts > 0 {
            try? await Task.sleep(for: .milliseconds(50))
        }
        await endLeftHosts()
    }

    /// Ends the clients that an earlier agent has left, or that do not end when asked.
    func endLeftHosts() async {
        for id in OwnFile.names(in: places.hosts) where ClaudeStart.isSessionID(id) {
            let place = places.hosts + "/" + id
            _ = await ClaudeSession.endClient(stateDirectory: place)
            ClaudeSession.removeFiles(stateDirectory: place)
        }
    }
}

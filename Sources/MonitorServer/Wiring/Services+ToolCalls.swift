internal import API
internal import Access
internal import Agents
internal import EventModel
internal import HTTPModel
internal import Host
internal import MachinePolicy
internal import Masking
internal import Persistence
internal import Serving
internal import Sessions
internal import Settings
internal import Tools

extension Services {
    /// How agents name the calls of tools that the server asks for.
    private static let toolUsePrefix = "toolu_monitor_"
    /// Seconds by which the clock of a machine may be behind.
    private static let clockSlack = 86_400.0

    static func toolCalls(
        _ registry: ToolService,
        _ agents: AgentService,
        _ shared: SharedServices,
        _ asker: PersonAsker,
        _ configuration: Configuration
    ) -> ToolCallService {
        let (database, authenticator) = (shared.database, shared.authenticator)
        let place: @Sendable (ToolCallPorts.Call) async throws(APIError) -> ToolCallPlace = { call throws(APIError) in
            guard let id = call.sessionID else {
                let place = WorkspacePlace(machine: call.machine, machineName: call.machineName, path: call.path)
                return .directory(place)
            }
            let found = try await database.use { store throws(PersistenceError) in try await store.session(id: id) }
            guard let found else { throw .sessionNotFound }
            return .session(found)
        }
        let ports = ToolCallPorts(
            ask: { call, seconds throws(APIError) in
                try await agents.ask(
                    about: AgentToolCall(call),
                    at: try await place(call),
                    by: call.actor,
                    seconds: seconds
                )
            },
            askPerson: { call, seconds, words throws(APIError) in
                try await asker.ask(about: call, as: toolUsePrefix + call.id, seconds: seconds, words)
            },
            policy: { [directory = configuration.dataDirectory] in
                let path = directory + "/tools.policy"
                if let text = InstalledFiles.contents(path, atMost: 64 << 10) { return ToolPolicy(text) }
                return InstalledFiles.isMissing(path) ? .absent : .unreadable
            },
            run: { call throws(APIError) in
                try await agents.run(call.id, at: try await place(call), by: call.actor)
            },
            approval: { id, machine, begun throws(APIError) in
                let found = try await database.answering.use { store throws(PersistenceError) in
                    let earliest = begun.adding(seconds: -clockSlack)
                    return try await store.prompt(ofToolUse: toolUsePrefix + id, on: machine, since: earliest)
                }
                return found.flatMap { ToolApproval($0.prompt) }
            },
            current: { current($0, authenticator) },
            granted: authenticator.toolServers(of:),
            session: { id, machine throws(APIError) in
                let start = try await database.answering.use { store throws(PersistenceError) in
                    try await store.start(ofCall: id, on: machine)
                }
                return start?.event.sessionID
            },
            withdraw: { call in
                guard call.isRemote else { return await agents.withdraw(call.id, on: call.machine, by: call.actor) }
                await asker.withdraw(call)
            }
        )
        return ToolCallService(registry: registry, ports: ports, keepsResults: configuration.contentPolicy != .none)
    }

    /// Leaves a session with some of its tools, until it is changed.
    static func toolLimiter(_ agents: AgentService, _ shared: SharedServices) -> SessionToolLimiter {
        SessionToolLimiter { [database = shared.database] id, limits, responder throws(APIError) in
            let found = try await database.use { store throws(PersistenceError) in try await store.session(id: id) }
            guard let found else { throw .sessionNotFound }
            return try await agents.limitTools(
                of: found,
                servers: limits.servers,
                tools: limits.tools,
                lasts: true,
                by: responder
            )
        }
    }

    /// Who asked for calls, if a program or a device did.
    static func callers(
        ofToolUses ids: [String],
        _ database: any StoreAccess
    ) async throws(APIError) -> [String: PromptCaller] {
        let calls = ids.filter { $0.hasPrefix(toolUsePrefix) }.map { String($0.dropFirst(toolUsePrefix.count)) }
        guard !calls.isEmpty else { return [:] }
        let found = try await database.use { store throws(PersistenceError) in
            try await store.callers(ofToolCalls: calls)
        }
        let named = found.map { (toolUsePrefix + $0.id, PromptCaller(principal: $0.caller, name: $0.name)) }
        return Dictionary(named) { first, _ in first }
    }
}

extension AgentToolCall {
    fileprivate init(_ call: ToolCallPorts.Call) {
        self.init(
            id: call.id,
            server: call.server,
            scope: call.scope,
            tool: call.tool,
            digest: call.digest,
            arguments: call.arguments
        )
    }
}

extension ToolApproval {
    /// `nil` unless a person has approved it.
    fileprivate init?(_ prompt: Prompt) {
        guard prompt.decision == .allow, let answer = prompt.answer, answer.decision == .allow else { return nil }
        switch answer.answerer {
        case .device: self.init(promptID: prompt.id, approver: "device:\(answer.deviceID ?? "")")
        case .operator: self.init(promptID: prompt.id, approver: "admin")
        case .terminal, .rule, .timeout: return nil
        }
    }
}

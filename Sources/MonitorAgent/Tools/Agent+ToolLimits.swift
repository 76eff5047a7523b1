internal import ClaudeRunner
internal import JSON

/// Sessions that are left with some of their MCP tools.
extension Agent {
    /// How often a client is asked whether its servers have connected, and the milliseconds between.
    private static let (statusLooks, statusPause) = (20, 250)

    /// Denies all other MCP tools, in force at once. A session that is parked keeps this when it is woken. What lasts
    /// also counts beside what a chat takes away for its turn.
    func limitTools(
        _ limits: AgentCommand.ToolLimits,
        of session: ClaudeSession,
        _ key: String
    ) async throws -> JSONValue {
        let status = try await Agent.status(of: session)
        let denials = try ToolDenials(limits, of: status)
        let id = table.lines[key]?.id ?? key
        let lasting = limits.isLasting ? denials.rules : Agent.rules(await session.toolChoice)
        let ofTurn = limits.isLasting ? toolDenials[id] ?? [] : denials.rules
        let own = ClaudeSettings.denyRules(places, files, environment)
        _ = try await session.request(.setDenyRules(own + lasting + ofTurn))
        toolDenials[id] = ofTurn.isEmpty ? nil : ofTurn
        var answer: [(String, JSONValue)] = [("denied", .array(denials.rules.map(JSONValue.string)))]
        if limits.isLasting {
            await session.keep(toolChoice: limits.isEmpty ? nil : limits.stored(denials.rules))
            answer.append(("lasting", .bool(true)))
        }
        return .object(answer)
    }

    /// Servers and tools that have come since are denied, too. Before each message.
    func renewToolChoice(of session: ClaudeSession, _ key: String) async throws {
        guard let choice = await session.toolChoice else { return }
        _ = try await limitTools(AgentCommand.ToolLimits(stored: choice), of: session, key)
    }

    /// Throws if the session was left without the tool.
    func requireLeft(_ name: String, in caller: ToolCaller) async throws(CommandRefusal) {
        let id = table.lines[caller.key]?.id ?? caller.key
        let rules = Agent.rules(await caller.session.toolChoice) + (toolDenials[id] ?? [])
        guard !ToolDenials.deny(name, by: rules) else {
            throw CommandRefusal(.deniedByMachine, "The session was left without this tool.")
        }
    }

    /// The rules of a stored choice.
    static func rules(_ choice: JSONValue?) -> [String] {
        choice?["rules"]?.array?.compactMap(\.string) ?? []
    }

    /// When no server is about to connect, or some seconds later.
    private static func status(of session: ClaudeSession) async throws -> JSONValue {
        var status = try await session.request(.mcpStatus)
        var looks = 1
        while looks < statusLooks, status["mcpServers"]?.array?.contains(where: isPending) == true {
            try? await Task.sleep(for: .milliseconds(statusPause))
            status = try await session.request(.mcpStatus)
            looks += 1
        }
        return status
    }

    private static func isPending(_ server: JSONValue) -> Bool { server["status"]?.string == "pending" }
}

internal import ClaudeRunner
internal import JSON

/// Sessions that are left with some of their MCP tools.
extension Agent {
    /// How often a client is asked whether its servers have connected, and the milliseconds between.
    private static let (statusLooks, statusPause) = (20, 250)

    /// Denies all other MCP tools, in force at once. A session that is parked keeps this when it is woken.
    func limitTools(
        _ limits: AgentCommand.ToolLimits,
        of session: ClaudeSession,
        _ key: String
    ) async throws -> JSONValue {
        let status = try await Agent.status(of: session)
        let denials = try ToolDenials(limits, of: status)
        let rules = ClaudeSettings.denyRules(places, files, environment) + denials.rules
        _ = try await session.request(.setDenyRules(rules))
        toolDenials[table.lines[key]?.id ?? key] = denials.rules.isEmpty ? nil : denials.rules
        return .object([("denied", .array(denials.rules.map(JSONValue.string)))])
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

internal import EventModel
internal import HTTPClient
internal import HTTPModel
internal import JSON
internal import Persistence

/// Calls of remote tools.
extension RemoteServers {
    /// Seconds for a call, and for which a listing counts as what the server says now.
    private static let (callSeconds, freshSeconds) = (600.0, 60.0)

    struct Confirmed: Sendable {
        var server: RemoteServer
        var tool: ToolDefinition

        /// The server says that the tool only reads, and a person believes this server.
        var isHarmless: Bool { server.trustsHints && tool.annotations?["readOnlyHint"]?.bool == true }
    }

    /// Compares the tool's definition with the pinned one, by what the server said at most a minute ago. Throws if it
    /// is another one, or if the server does not answer.
    func confirm(_ call: ToolCallPorts.Call) async throws(APIError) -> Confirmed {
        var server = try await server(call.serverID)
        if let account = call.account {
            guard try await tools(of: server, for: account).contains(call.tool) else {
                throw ToolCallRefusal.unknownTool
            }
        } else if server.listedAt.map({ $0 < now.adding(seconds: -RemoteServers.freshSeconds) }) ?? true {
            try await list(server.id)
            server = try await self.server(server.id)
            guard server.failures == 0 else {
                let why = try? await reason(server.id)
                throw RemoteServers.failed(why ?? "The server does not answer.")
            }
        }
        let found = try await database.use { store throws(PersistenceError) in
            try await store.mcpTool(call.tool, of: call.serverID)
        }
        guard let found else { throw ToolCallRefusal.unknownTool }
        guard found.state == .ready, found.pinned.digest == call.digest else { throw ToolCallRefusal.changed }
        return Confirmed(server: server, tool: found.pinned)
    }

    /// The names of the tools that the server has for the account, as it said at most a minute ago.
    private func tools(of server: RemoteServer, for account: String) async throws(APIError) -> Set<String> {
        let earliest = now.adding(seconds: -RemoteServers.freshSeconds)
        if let known = listing(of: server, for: account), known.at >= earliest { return known.tools }
        do throws(RemoteFault) {
            return try await list(server, for: account).tools
        } catch {
            throw RemoteServers.notRun(error, server.name, account)
        }
    }

    /// Makes an approved call, once.
    ///
    /// - Parameter approved: the server as it was when the call was approved. If it was changed since, or removed and
    ///   added again, the call is not made: it could go elsewhere, or have other credentials.
    func run(
        _ call: ToolCallPorts.Call,
        at approved: RemoteServer
    ) async throws(APIError) -> (result: JSONValue, bytes: Int64) {
        let confirmed = try await confirm(call)
        guard confirmed.server.changedAt == approved.changedAt else { throw ToolCallRefusal.changedServer }
        do throws(RemoteFault) {
            let result = try await client(of: confirmed.server, for: call.account).call(
                call.tool,
                call.arguments,
                mirrored: MirroredArguments(confirmed.tool.parameters)?.values(of: call.arguments) ?? [],
                seconds: RemoteServers.callSeconds
            )
            let passed = try RemoteServers.passed(result)
            return (passed, Int64(passed.encoded.count))
        } catch {
            switch error {
            case .exchange(.tooLarge), .tooManyValues: return (RemoteServers.tooLarge(error.text), 0)
            default: break
            }
            guard error.mayHaveRun else {
                throw RemoteServers.notRun(error, confirmed.server.name, call.account)
            }
            throw APIError(.internalError, status: 502, code: "mcp_server_lost", message: error.text)
        }
    }

    /// What callers get of a result.
    private static func passed(_ result: JSONValue) throws(RemoteFault) -> JSONValue {
        guard let content = result["content"], content.array != nil else {
            throw .malformed("the result has no content")
        }
        var members = [("content", content), ("isError", JSONValue.bool(result["isError"]?.bool ?? false))]
        if let structured = result["structuredContent"] { members.append(("structuredContent", structured)) }
        return .object(members)
    }

    private static func tooLarge(_ why: String) -> JSONValue {
        let text = "The result is not passed on: \(why)."
        let block = JSONValue.object([("type", .string("text")), ("text", .string(text))])
        return .object([
            ("content", .array([block])), ("isError", .bool(true)), ("code", .string("result_too_large")),
        ])
    }

    private static func notRun(_ fault: RemoteFault, _ server: String, _ account: String?) -> APIError {
        switch (fault, account) {
        case (.needsScope, _):
            refusal(409, "needs_wider_scope", "The tool did not run: \(fault.text)")
        case (.unauthorized, ""):
            refusal(
                403,
                "not_shared",
                "The server wants a login, and the key may not use the operator's: monitorctl apikey create NAME "
                    + "--share \(server), or the user of the program logs in by a link. The tool did not run."
            )
        case (.unauthorized, .some):
            refusal(
                409,
                "needs_login",
                "The user must log in at this server again, by a new link. The tool did not run."
            )
        default: failed(fault.text)
        }
    }

    private static func refusal(_ status: Int, _ code: String, _ message: String) -> APIError {
        APIError(status == 403 ? .permission : .conflict, status: status, code: code, message: message)
    }

    private static func failed(_ why: String) -> APIError {
        APIError(
            .internalError,
            status: 502,
            code: "mcp_server_failed",
            message: "The MCP server cannot be called, and the tool did not run: \(why)"
        )
    }

    private func reason(_ id: String) async throws(APIError) -> String? {
        try await database.use { store throws(PersistenceError) in
            try await store.mcpServers(on: nil, path: nil, id: id)
        }.first?.reason
    }
}

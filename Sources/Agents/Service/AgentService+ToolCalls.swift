package import API
package import EventModel
package import HTTPModel
package import JSON
package import Sessions

/// A call of an MCP server's tool, as an agent takes it.
package struct AgentToolCall: Sendable {
    /// A UUID. The agent carries out a call once.
    package var id: String
    package var server: String
    package var scope: String
    package var tool: String
    /// The SHA-256 of the tool's pinned definition; `nil` if only the tool's name is known.
    package var digest: String?
    package var arguments: JSONValue

    package init(
        id: String,
        server: String,
        scope: String,
        tool: String,
        digest: String?,
        arguments: JSONValue
    ) {
        (self.id, self.server, self.scope, self.tool) = (id, server, scope, tool)
        (self.digest, self.arguments) = (digest, arguments)
    }
}

/// Where a call is made.
package enum ToolCallPlace: Sendable {
    /// The process of the session makes the call.
    case session(Session)
    /// A process that only runs tools makes the call.
    case directory(WorkspacePlace)
}

/// Calls of MCP servers' tools. Needs no right: the caller has checked it.
extension AgentService {
    /// Seconds for a tool to run. Claude Code takes no longer time.
    private static let runSeconds = 615.0
    /// The longest result. The agent passes on less.
    private static let mostResultBytes: Int64 = 11 << 20

    /// Has the machine's agent ask a person. Returns when the call is approved.
    package func ask(
        about call: AgentToolCall,
        at place: ToolCallPlace,
        by actor: Actor,
        seconds: Double
    ) async throws(APIError) {
        let (link, name) = try link(of: place)
        let command = AgentCommand(
            "mcp/ask",
            id: call.id,
            by: actor,
            [
                name, ("server", .string(call.server)),
                ("scope", .string(call.scope)), ("tool", .string(call.tool)),
                ("digest", call.digest.map(JSONValue.string)), ("arguments", call.arguments),
            ]
        )
        let answer = try await link.call(command, seconds: seconds)
        guard answer["approved"]?.bool == true else { throw AgentRefusal.malformed }
    }

    /// Has the machine's agent ask about a call no longer. Does nothing if it does not ask, or is too old.
    package func withdraw(_ id: String, on machine: MachineID, by actor: Actor) async {
        guard let link = links.link(of: machine) else { return }
        let command = AgentCommand("mcp/withdraw", id: newID(), by: actor, [("call_id", .string(id))])
        _ = try? await link.call(command, seconds: AgentService.commandSeconds)
    }

    private typealias Argument = (String, JSONValue?)

    /// The link to the agent, and how the agent is told of the place.
    private func link(of place: ToolCallPlace) throws(APIError) -> (AgentLink, Argument) {
        switch place {
        case .session(let session): return (try driving(session), ("session_id", .string(session.id)))
        case .directory(let place):
            guard let link = links.link(of: place.machine) else { throw AgentRefusal.unavailable(place.machineName) }
            return (link, ("path", .string(place.path)))
        }
    }

    /// Has an approved call made. It is made once: a repeat is refused.
    ///
    /// - Returns: the tool's result, and its bytes.
    package func run(
        _ id: String,
        at place: ToolCallPlace,
        by actor: Actor
    ) async throws(APIError) -> (result: JSONValue, bytes: Int64) {
        let (link, name) = try link(of: place)
        let command = AgentCommand("mcp/run", id: id, by: actor, [name, ("call_id", .string(id))])
        var answer = try await link.call(command, seconds: AgentService.runSeconds)
        var text: [UInt8] = []
        while true {
            guard let piece = answer["piece"]?.string, let whole = answer["bytes"]?.integer,
                (0...AgentService.mostResultBytes).contains(whole),
                Int64(text.count + piece.utf8.count) <= whole, !piece.isEmpty || Int64(text.count) == whole
            else { throw AgentRefusal.malformed }
            text += piece.utf8
            if Int64(text.count) == whole { break }
            let rest = AgentCommand(
                "mcp/result",
                id: newID(),
                by: actor,
                [("call_id", .string(id)), ("offset", .integer(Int64(text.count)))]
            )
            answer = try await link.call(rest, seconds: AgentService.commandSeconds)
        }
        guard let result = try? JSONValue.parse(text, maxDepth: 128), result.isObject else {
            throw AgentRefusal.malformed
        }
        return (result, Int64(text.count))
    }
}

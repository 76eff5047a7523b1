package import API
internal import EventModel
package import HTTPModel
internal import JSON
package import Sessions

/// What a session that an agent runs says of itself.
extension AgentService {
    /// Seconds for Claude Code to count what fills the context.
    private static let contextSeconds = 15.0

    /// What fills the model's context.
    func context(of id: String, by responder: Responder) async throws(APIError) -> JSONValue {
        let session = try await ports.session(id)
        return try await read("session/context", session, responder, seconds: AgentService.contextSeconds)
    }

    /// The commands that the session takes with `as: "command"`.
    func commands(of id: String, by responder: Responder) async throws(APIError) -> [JSONValue] {
        let session = try await ports.session(id)
        try require(on: session.machine, by: responder)
        let result = try await read("session/commands", session, responder, seconds: AgentService.commandSeconds)
        return result["commands"]?.array ?? []
    }

    /// Puts files, the conversation or both back to their state before a message.
    func rewind(_ rewind: SessionRewind, of id: String, by responder: Responder) async throws(APIError) -> JSONValue {
        let session = try await ports.session(id)
        try require(on: session.machine, by: responder)
        let command = AgentCommand(
            "session/rewind",
            id: newID(),
            by: responder.actor,
            [
                ("session_id", .string(id)), ("message_id", .string(rewind.messageID)),
                ("what", .string(rewind.what)), ("dry_run", .bool(rewind.isDryRun)),
            ]
        )
        return try await driving(session).call(command, seconds: AgentService.contextSeconds)
    }

    /// Leaves the session with some of its MCP servers and tools; a list that is `nil` leaves all.
    ///
    /// - Parameters:
    ///   - isLenient: whether a name that does not exist is no error.
    ///   - lasts: whether this counts until it is changed, and not for the next turn only.
    /// - Returns: the rules by which the session's process denies the others.
    @discardableResult
    package func limitTools(
        of session: Session,
        servers: [String]?,
        tools: [String]?,
        isLenient: Bool = false,
        lasts: Bool = false,
        by responder: Responder
    ) async throws(APIError) -> [String] {
        try require(on: session.machine, by: responder)
        func list(_ names: [String]?) -> JSONValue? { names.map { .array($0.map(JSONValue.string)) } }
        let command = AgentCommand(
            "session/tools",
            id: newID(),
            by: responder.actor,
            [
                ("session_id", .string(session.id)), ("enabled_servers", list(servers)),
                ("enabled_tools", list(tools)), ("lenient", isLenient ? .bool(true) : nil),
                ("lasting", lasts ? .bool(true) : nil),
            ]
        )
        let answer = try await driving(session).call(command, seconds: AgentService.contextSeconds)
        // An older agent would forget it at the end of the turn.
        guard !lasts || answer["lasting"]?.bool == true else { throw AgentRefusal.outdated }
        return answer["denied"]?.array?.compactMap(\.string) ?? []
    }

    private func read(
        _ method: String,
        _ session: Session,
        _ responder: Responder,
        seconds: Double
    ) async throws(APIError) -> JSONValue {
        let command = AgentCommand(method, id: newID(), by: responder.actor, [("session_id", .string(session.id))])
        return try await driving(session).call(command, seconds: seconds)
    }
}

extension AgentLinks {
    private static let takeBackSeconds = 10.0

    /// Takes a message back that its session has and has not begun.
    ///
    /// - Returns: false if the session has begun it, or if no agent that is connected here runs the session.
    package func takeBack(
        _ message: String,
        of session: Session,
        by responder: Responder
    ) async throws(APIError) -> Bool {
        guard self.session(session.id, on: session.machine) != nil, let link = link(of: session.machine) else {
            return false
        }
        var random = SystemRandomNumberGenerator()
        let command = AgentCommand(
            "session/cancel",
            id: EventID.version4(using: &random).description,
            by: responder.actor,
            [("session_id", .string(session.id)), ("message_id", .string(message))]
        )
        return try await link.call(command, seconds: AgentLinks.takeBackSeconds)["cancelled"]?.bool ?? false
    }
}

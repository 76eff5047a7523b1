package import API
package import EventModel
package import HTTPModel
package import JSON
internal import Masking
package import Persistence
package import Sessions

/// Starts and ends sessions by way of the machines' agents. May be used on any thread.
package struct AgentService: Sendable {
    /// What other parts of the server do for this one.
    package struct Ports: Sendable {
        package typealias SendFirst =
            @Sendable (_ text: String, _ id: String?, [MessageImage], Session, Responder) async throws(APIError) -> Void

        let submit: @Sendable ([MonitorEvent]) async throws(APIError) -> Void
        /// A session with all that is known of it.
        let session: @Sendable (_ id: String) async throws(APIError) -> Session
        /// Whether a session of the workspace runs.
        let isRunning: @Sendable (_ workspaceID: String) async throws(APIError) -> Bool
        /// Queues the first message of a session, before anything is known of how the session takes messages.
        let sendFirst: SendFirst

        package init(
            submit: @escaping @Sendable ([MonitorEvent]) async throws(APIError) -> Void,
            session: @escaping @Sendable (_ id: String) async throws(APIError) -> Session,
            isRunning: @escaping @Sendable (_ workspaceID: String) async throws(APIError) -> Bool,
            sendFirst: @escaping SendFirst
        ) {
            (self.submit, self.session, self.isRunning, self.sendFirst) = (submit, session, isRunning, sendFirst)
        }
    }

    /// Seconds for Claude Code to start.
    private static let startSeconds = 25.0
    /// Seconds for other commands, which the agent carries out at once.
    static let commandSeconds = 10.0
    /// Seconds for a process to end: it is killed after a while.
    private static let stopSeconds = 20.0

    package let links: AgentLinks
    package let chats = AgentListeners<AgentChatText>()
    package let turns = AgentListeners<AgentTurnStep>()
    package let trackers = GitTrackers()
    let told: ToldChanges
    /// The server's name for itself.
    package let node: String
    /// The versions of `monitor-agent` that machines can download here, by platform.
    package let releases: [String: String]
    let database: any StoreAccess
    let ports: Ports
    let clock: @Sendable () -> Timestamp
    let steadyClock: @Sendable () -> Timestamp

    /// - Parameter keepsChanges: whether the names of the files that sessions have changed are stored.
    package init(
        links: AgentLinks,
        node: String,
        releases: [String: String],
        database: any StoreAccess,
        keepsChanges: Bool,
        ports: Ports,
        clock: @escaping @Sendable () -> Timestamp,
        steadyClock: @escaping @Sendable () -> Timestamp
    ) {
        (self.links, self.node, self.releases, self.database) = (links, node, releases, database)
        (self.ports, self.clock, self.steadyClock) = (ports, clock, steadyClock)
        told = ToldChanges(database: database, isKept: keepsChanges)
    }

    // MARK: Starting

    /// Starts a session and sends its first message. The same request with the same `sessionID` starts one session.
    package func start(_ start: SessionStart, by responder: Responder) async throws(APIError) -> Session {
        let place = try await place(of: start)
        try require(on: place.machine, by: responder)
        try await check(start.resume, on: place.machine, param: "resume")
        try await check(start.sessionID, on: place.machine, param: "session_id")
        let link = try link(of: place)
        let id = start.isFork ? start.sessionID ?? newID() : start.resume ?? start.sessionID ?? newID()
        if links.session(id, on: place.machine) == nil {
            var start = start
            if start.model == nil, start.resume == nil {
                start.model = try await defaultModel(at: place.path, on: place.machine)
            }
            try await begin(start, id, in: place.path, link, by: responder.actor)
        } else if start.resume == id, start.sessionID != id {
            throw AgentService.alreadyRunning
        }
        let session = try await ports.session(id)
        if let message = start.message {
            try await ports.sendFirst(message, start.messageID, start.images, session, responder)
        }
        return session
    }

    /// Has an agent start a session. The session exists when this returns.
    func begin(
        _ start: SessionStart,
        _ id: String,
        in path: String,
        _ link: AgentLink,
        by actor: Actor
    ) async throws(APIError) {
        let started = try await link.call(command(start, id, path, actor), seconds: Self.startSeconds)
        try await ports.submit([event(of: start, id, started, link, actor)])
    }

    private typealias Place = (machine: MachineID, name: String, path: String)

    private func place(of start: SessionStart) async throws(APIError) -> Place {
        if let id = start.projectID {
            let project = try await place(ofProject: id)
            return (project.machine, project.machineName, start.path ?? project.path)
        }
        let name = start.machine ?? ""
        let machine = try await database.machine(named: name)
        guard let machine else { throw .notFound("machine_not_found", "There is no machine '\(name)'.") }
        let known = try await known(start.resume)
        guard let path = start.path ?? known?.projectPath else {
            throw APIError(
                .invalidRequest,
                status: 422,
                code: "missing_parameter",
                message: "Name the directory in which to start: 'path'.",
                param: "path"
            )
        }
        return (machine, name, path)
    }

    private func known(_ id: String?) async throws(APIError) -> Session? {
        guard let id else { return nil }
        return try await database.use { store throws(PersistenceError) in try await store.session(id: id) }
    }

    /// A session belongs to the machine that began it.
    private func check(_ id: String?, on machine: MachineID, param: String) async throws(APIError) {
        guard let session = try await known(id), session.machine != machine else { return }
        throw APIError(
            .conflict,
            status: 409,
            code: "session_elsewhere",
            message: "The session belongs to \(session.machineName).",
            param: param
        )
    }

    private func command(
        _ start: SessionStart,
        _ id: String,
        _ path: String,
        _ actor: Actor
    ) -> AgentCommand {
        AgentCommand(
            "session/start",
            // A session that is continued may be started several times a day.
            id: start.resume == nil ? id : newID(),
            by: actor,
            [
                ("session_id", .string(id)), ("directory", .string(path)),
                ("resume", start.resume.map(JSONValue.string)),
                ("fork", start.isFork ? .bool(true) : nil), ("model", start.model.map(JSONValue.string)),
                ("effort", start.effort.map(JSONValue.string)),
                ("mode", start.isInteractive ? nil : start.mode.map(JSONValue.string)),
                ("terminal", start.isInteractive ? AgentService.usualSize : nil),
                ("worktree", start.worktree.map(JSONValue.string)),
                ("system_prompt", start.systemPrompt.map(JSONValue.string)),
                ("append_prompt", start.appendsPrompt ? .bool(true) : nil),
                ("restricted", start.isRestricted ? .bool(true) : nil),
                ("history", start.history.isEmpty ? nil : .array(start.history)),
            ]
        )
    }

    func newID() -> String {
        var random = SystemRandomNumberGenerator()
        return EventID.version4(using: &random).description
    }

    // MARK: Driving

    /// The `end_reason` of a session that somebody has ended by this server.
    private static let stopped = "stopped"

    /// Ends a session. Does nothing if it has ended.
    ///
    /// - Returns: what of the session's tools still runs, as the agent reports it.
    package func stop(
        _ id: String,
        killsLeftovers: Bool,
        by responder: Responder
    ) async throws(APIError) -> (session: Session, leftRunning: [JSONValue]) {
        let session = try await ports.session(id)
        try require(on: session.machine, by: responder)
        guard links.session(id, on: session.machine) != nil else {
            guard session.endedAt == nil else { return (session, []) }
            throw session.runner != .unknown
                ? AgentRefusal.unavailable(session.machineName) : AgentService.notOurs
        }
        let command = AgentCommand(
            "session/stop",
            id: newID(),
            by: responder.actor,
            [("session_id", .string(id)), ("kill_leftovers", .bool(killsLeftovers))]
        )
        let link = try driving(session)
        let result = try await link.call(command, seconds: Self.stopSeconds)
        var change = SessionChange()
        change.endReason = AgentService.stopped
        try await ports.submit([event(of: change, in: id, at: nil, link, responder.actor)])
        return (try await ports.session(id), result["left_running"]?.array ?? [])
    }

    /// Switches the mode or the model of a session that an agent runs.
    package func set(
        _ session: Session,
        mode: String?,
        model: String?,
        by responder: Responder
    ) async throws(APIError) {
        try require(on: session.machine, by: responder)
        let command = AgentCommand(
            "session/set",
            id: newID(),
            by: responder.actor,
            [
                ("session_id", .string(session.id)), ("mode", mode.map(JSONValue.string)),
                ("model", model.map(JSONValue.string)),
            ]
        )
        let link = try driving(session)
        let result = try await link.call(command, seconds: Self.commandSeconds)
        var change = SessionChange()
        if let mode { change.permissionMode = result["mode"]?.word ?? mode }
        change.model = model.flatMap(StoredForm.word)
        if change.isEmpty { return }
        try await ports.submit([event(of: change, in: session.id, at: nil, link, responder.actor)])
    }

    /// Gives a message to the session, or ends its turn. The message's id makes a repeat harmless.
    ///
    /// - Returns: the ids of the messages that were taken back with an interruption.
    package func deliver(_ message: AgentMessage, to link: AgentLink) async throws(APIError) -> [String] {
        for upload in message.uploads { try await self.upload(upload, to: link) }
        let result = try await link.call(message.command, seconds: Self.commandSeconds)
        return result["cancelled"]?.array?.compactMap(\.string) ?? []
    }

    /// The link to the agent that runs the session.
    func driving(_ session: Session) throws(APIError) -> AgentLink {
        guard links.session(session.id, on: session.machine) != nil else {
            throw session.runner != .unknown ? AgentRefusal.unavailable(session.machineName) : AgentService.notOurs
        }
        return try link(of: (session.machine, session.machineName, ""))
    }

    private func link(of place: Place) throws(APIError) -> AgentLink {
        guard let link = links.link(of: place.machine) else { throw AgentRefusal.unavailable(place.name) }
        return link
    }

    func require(on machine: MachineID, by responder: Responder) throws(APIError) {
        guard responder.principal.may(.control, on: machine) else {
            throw .insufficientScope(responder.principal.lacking(.control, on: machine))
        }
    }
}

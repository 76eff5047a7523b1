package import API
package import Audit
package import EventModel
package import HTTPModel
package import JSON
package import Persistence

/// Where the MCP servers are that somebody asks for.
package enum ToolPlace: Sendable, Equatable {
    case project(String)
    case session(String)
    case directory(machine: String, path: String)
}

/// The registry of the MCP servers of all machines, and of their tools. May be used on any thread.
package struct ToolService: Sendable {
    package typealias Place = (machine: MachineID, path: String)

    /// What other parts of the server do for this one.
    package struct Ports: Sendable {
        let place: @Sendable (ToolPlace) async throws(APIError) -> Place
        /// What the agent of the machine tells of the servers of a place. It checks the right to ask.
        let report: @Sendable (Place, Responder) async throws(APIError) -> JSONValue

        package init(
            place: @escaping @Sendable (ToolPlace) async throws(APIError) -> Place,
            report: @escaping @Sendable (Place, Responder) async throws(APIError) -> JSONValue
        ) {
            (self.place, self.report) = (place, report)
        }
    }

    let database: any StoreAccess
    let ports: Ports
    /// The search that all interfaces share.
    package let finder: ToolFinder
    package let remote: RemoteServers
    let audit: AccessAudit
    let clock: @Sendable () -> Timestamp

    package init(
        database: any StoreAccess,
        ports: Ports,
        remote: RemoteServers,
        audit: AccessAudit,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        (self.database, self.ports, self.remote) = (database, ports, remote)
        finder = ToolFinder(database: database)
        (self.audit, self.clock) = (audit, clock)
    }

    /// Asks the machine, and returns the servers of the place.
    func refresh(_ place: ToolPlace, by responder: Responder) async throws(APIError) -> [StoredServer] {
        let place = try await ports.place(place)
        try responder.require(.control, on: place.machine)
        let answer = try await ports.report(place, responder)
        guard let report = ServerReport(answer, from: place.machine) else { throw ToolRefusal.malformed }
        let time = clock()
        return try await database.use { store throws(PersistenceError) in
            try await store.keep(report, at: time)
            return try await store.mcpServers(on: report.machine, path: report.directory)
        }
    }

    func servers(on machine: MachineID?, path: String?) async throws(APIError) -> [StoredServer] {
        try await database.use { store throws(PersistenceError) in
            try await store.mcpServers(on: machine, path: path)
        }
    }

    func server(_ id: String) async throws(APIError) -> StoredServer {
        let found = try await database.use { store throws(PersistenceError) in
            try await store.mcpServers(on: nil, path: nil, id: id)
        }
        guard let server = found.first else { throw ToolRefusal.unknownServer }
        return server
    }

    func tools(_ selection: ToolSelection) async throws(APIError) -> (tools: [StoredTool], total: Int64) {
        try await database.use { store throws(PersistenceError) in try await store.mcpTools(selection) }
    }

    /// A page of the tools that fit words, the best first, and how many there are.
    func tools(_ query: ToolQuery) async throws(APIError) -> (tools: [StoredTool], total: Int64) {
        let (keys, total) = try await finder.find(query)
        guard !keys.isEmpty else { return ([], Int64(total)) }
        let tools = try await database.use { store throws(PersistenceError) in try await store.mcpTools(keys) }
        return (tools, Int64(total))
    }

    /// Lets a person accept the definition that a server now gives of a tool.
    ///
    /// - Parameter digest: of the definition that the person has seen.
    func accept(
        _ name: String,
        of serverID: String,
        digest: String,
        by responder: Responder,
        _ caller: Caller
    ) async throws(APIError) -> StoredTool {
        try responder.requirePerson()
        let server = try await server(serverID)
        try responder.require(.control, on: server.machine)
        let tool = try await tool(name, of: serverID)
        // A repeat finds what it did the first time.
        if tool.offered == nil, tool.pinned.digest == digest { return tool }
        guard let offered = tool.offered, offered.digest == digest else { throw ToolRefusal.changedAgain }
        let (actor, time) = (responder.principal.auditName, clock())
        let isAccepted = try await database.use { store throws(PersistenceError) in
            try await store.acceptTool(tool, offered, by: actor, at: time)
        }
        guard isAccepted else { throw ToolRefusal.changedAgain }
        await record(.acceptTool, "\(serverID)/\(name)", by: actor, caller, at: time)
        return try await self.tool(name, of: serverID)
    }

    func record(
        _ action: AuditAction,
        _ object: String,
        by actor: String,
        _ caller: Caller,
        at time: Timestamp
    ) async {
        await audit.record(
            AuditEntry(
                at: time,
                actor: actor,
                action: action.rawValue,
                object: object,
                result: AuditResult.granted.word,
                peer: caller.peer,
                requestID: caller.requestID
            )
        )
    }

    private func tool(_ name: String, of server: String) async throws(APIError) -> StoredTool {
        let found = try await database.use { store throws(PersistenceError) in
            try await store.mcpTool(name, of: server)
        }
        guard let found else { throw ToolRefusal.unknownTool }
        return found
    }
}

/// The registry's own errors.
package enum ToolRefusal {
    package static let unknownServer = APIError.notFound("mcp_server_not_found", "There is no MCP server of that id.")
    package static let unknownTool = APIError.notFound("tool_not_found", "The server has no tool of that name.")
    package static let changedAgain = APIError(
        .conflict,
        status: 409,
        code: "tool_changed",
        message: "This is not the definition that waits for a person. Read the tool again.",
        param: "digest"
    )
    package static let malformed = APIError(
        .internalError,
        status: 502,
        code: "agent_failed",
        message: "The machine's agent answered with something that is no list of servers."
    )
}

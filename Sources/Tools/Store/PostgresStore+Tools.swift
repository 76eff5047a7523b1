package import EventModel
package import Persistence

extension PostgresStore {
    /// Takes over what a machine has told.
    func keep(_ report: ServerReport, at time: Timestamp) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            var calls: [(Statement, Parameters)] = []
            for server in report.servers {
                let pinned = try PostgresStore.pins(of: server.id, connection)
                var kept = server
                kept.isComplete = server.isComplete && ToolPins.haveRoom(pinned, for: server)
                calls.append((ToolStatements.keepServer, PostgresStore.parameters(of: kept, report.machine, time)))
                calls += PostgresStore.naming(server)
                calls += PostgresStore.changes(pinned, server, time)
            }
            if report.isComplete {
                let (ids, names) = (report.servers.map(\.id), report.servers.map(\.name))
                calls.append((ToolStatements.loseServers, Parameters(of: report.machine, report.directory, ids, names)))
            }
            if !calls.isEmpty { _ = try connection.pipeline(calls) }
        }
    }

    /// Stores what servers say about their tools. Changes nothing about the servers.
    func keepTools(_ report: ServerReport, at time: Timestamp) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            var calls: [(Statement, Parameters)] = []
            for server in report.servers {
                let pinned = try PostgresStore.pins(of: server.id, connection)
                calls += PostgresStore.changes(pinned, server, time)
            }
            if !calls.isEmpty { _ = try connection.pipeline(calls) }
        }
    }

    private static func changes(
        _ pinned: [String: ToolPins.Pinned],
        _ server: ServerReport.Server,
        _ time: Timestamp
    ) -> [(Statement, Parameters)] {
        let changes = ToolPins.changes(pinned, server)
        return changes.map { call($0, server, time) } + naming(server, changes.compactMap(\.pinned))
    }

    /// Takes over one server without its tools.
    static func keepServer(
        _ server: ServerReport.Server,
        at time: Timestamp,
        _ connection: PQConnection
    ) throws(PersistenceError) {
        _ = try connection.pipeline(
            [(ToolStatements.keepServer, parameters(of: server, .monitor, time))] + naming(server)
        )
    }

    /// The pins of the server's tools, by name. They include tools that the server no longer lists.
    func mcpPins(of server: String) async throws(PersistenceError) -> [String: ToolPins.Pinned] {
        try await run { connection throws(PersistenceError) in try PostgresStore.pins(of: server, connection) }
    }

    private static func pins(
        of server: String,
        _ connection: PQConnection
    ) throws(PersistenceError) -> [String: ToolPins.Pinned] {
        var pinned: [String: ToolPins.Pinned] = [:]
        for row in try connection.query(ToolStatements.pins, Parameters(of: server)).rows {
            let (name, digest, offered, isPresent): (String, String, String?, Bool) = try row.values()
            pinned[name] = ToolPins.Pinned(digest: digest, offered: offered, isPresent: isPresent)
        }
        return pinned
    }

    private static func parameters(
        of server: ServerReport.Server,
        _ machine: MachineID,
        _ time: Timestamp
    ) -> Parameters {
        Parameters(
            of: server.id,
            machine,
            server.scope,
            server.path,
            server.name,
            server.transport,
            server.state,
            server.reason,
            server.isComplete,
            time
        )
    }

    private static func call(
        _ change: ToolPins.Change,
        _ server: ServerReport.Server,
        _ time: Timestamp
    ) -> (Statement, Parameters) {
        switch change {
        case .pin(let tool):
            let parameters = Parameters(of: server.id, tool.name, tool.text, tool.digest, time)
            return (ToolStatements.pin, adding(wordsOf: tool, server.name, to: parameters))
        case .offer(let tool):
            return (ToolStatements.offer, Parameters(of: server.id, tool.name, tool.text, tool.digest, time))
        case .settle(let name): return (ToolStatements.settle, Parameters(of: server.id, name))
        case .appear(let name): return (ToolStatements.show, Parameters(of: server.id, name, true))
        case .disappear(let name): return (ToolStatements.show, Parameters(of: server.id, name, false))
        }
    }

    private static func adding(
        wordsOf tool: ToolDefinition,
        _ server: String,
        to parameters: Parameters
    ) -> Parameters {
        let title = tool.title.map { PlainText.words($0) + " " } ?? ""
        let (name, description) = (ToolName.words(tool.name), PlainText.words(tool.description))
        return [title + name, description, ToolName.words(server), tool.argumentWords]
            .reduce(parameters) { Parameters($0, and: $1) }
    }

    /// - Parameter path: servers of scope `user`, and those of this directory.
    func mcpServers(
        on machine: MachineID?,
        path: String?,
        id: String? = nil
    ) async throws(PersistenceError) -> [StoredServer] {
        try await run { connection throws(PersistenceError) in
            try connection.query(ToolStatements.servers, Parameters(of: machine, path, id)).values()
        }
    }

    package typealias FailedMCPServer = (id: String, name: String, machine: String, reason: String?, since: Timestamp)

    /// The servers that have answered before and fail since a time after this one, the latest first.
    package func failedServers(after time: Timestamp) async throws(PersistenceError) -> [FailedMCPServer] {
        try await run { connection throws(PersistenceError) in
            var found: [FailedMCPServer] = []
            for row in try connection.query(ToolStatements.failedServers, Parameters(of: time)).rows {
                let (id, name, machine, reason, since): (String, String, String, String?, Timestamp) = try row.values()
                found.append((id, name, machine, reason, since))
            }
            return found
        }
    }

    /// A page of tools, and how many there are.
    func mcpTools(_ selection: ToolSelection) async throws(PersistenceError) -> (tools: [StoredTool], total: Int64) {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: selection.machine,
                selection.path,
                selection.server,
                Int64(selection.limit),
                Int64(selection.offset)
            )
            var (tools, total): ([StoredTool], Int64) = ([], 0)
            for row in try connection.query(ToolStatements.tools, parameters).rows {
                total = try row.value(0)
                tools.append(try StoredTool(from: row, 1))
            }
            return (tools, total)
        }
    }

    /// The tools of these keys that there still are, in the same order.
    func mcpTools(_ keys: [ToolKey]) async throws(PersistenceError) -> [StoredTool] {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: keys.map(\.server), keys.map(\.tool))
            return try connection.query(ToolStatements.found, parameters).values()
        }
    }

    /// - Parameter name: of the server, or its id, and of the tool.
    func mcpTools(
        named name: String,
        on machine: MachineID?,
        path: String?
    ) async throws(PersistenceError) -> [StoredTool] {
        try await run { connection throws(PersistenceError) in
            try connection.query(ToolStatements.named, Parameters(of: machine, path, name)).values()
        }
    }

    func mcpTool(_ name: String, of server: String) async throws(PersistenceError) -> StoredTool? {
        try await run { connection throws(PersistenceError) in
            try connection.query(ToolStatements.tool, Parameters(of: server, name)).firstValue()
        }
    }

    /// Pins the definition that waits. Returns false if another one waits by now, or none.
    func acceptTool(
        _ tool: StoredTool,
        _ offered: ToolDefinition,
        by actor: String,
        at time: Timestamp
    ) async throws(PersistenceError) -> Bool {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: tool.serverID, tool.name, offered.digest, actor, time)
            let whole = PostgresStore.adding(wordsOf: offered, tool.server, to: parameters)
            let name: String? = try connection.query(ToolStatements.accept, whole).firstValue()
            return name != nil
        }
    }
}

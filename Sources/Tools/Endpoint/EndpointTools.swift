package import API
package import EventModel
package import HTTPModel
package import JSON
internal import Persistence

/// The tools of MCP servers for the callers of `/mcp`, each under a name of its own. May be used on any thread.
package struct EndpointTools: Sendable {
    /// Tools in a list. The others are found by a search.
    private static let most = 100
    /// Bytes of a definition in a list, and of all of them.
    private static let (mostOfOne, mostBytes) = (32 << 10, 1 << 20)
    /// Longer than a person may take to decide and the tool to run.
    private static let longest = ToolCallService.approvalSeconds + 900

    let service: ToolCallService
    private let absences: ClientAbsences

    package init(_ service: ToolCallService) {
        self.service = service
        absences = ClientAbsences(
            database: service.database,
            clock: service.clock,
            pause: { try? await Task.sleep(for: .seconds($0)) },
            withdraw: service.withdraw
        )
    }

    package func mayRun(_ principal: Principal) -> Bool { service.ports.reach(of: principal) != nil }

    /// What the caller may run, as the protocol has it. The order does not change.
    ///
    /// - Parameter only: narrows it; `nil` means all.
    package func listed(for principal: Principal, only: ToolSet? = nil) async throws(APIError) -> [[UInt8]] {
        guard let reach = service.ports.reach(of: principal) else { return [] }
        let found = try await named { store throws(PersistenceError) in
            try await store.endpointTools(in: reach, only: only, limit: EndpointTools.most)
        }
        var bytes = 0
        return found.compactMap { tool in
            let json = tool.listed
            guard json.count <= EndpointTools.mostOfOne, bytes + json.count <= EndpointTools.mostBytes else {
                return nil
            }
            bytes += json.count
            return json
        }
    }

    /// What the caller may run and what has at least one of the words, the fittest first: a JSON object.
    package func found(
        _ words: String,
        machine: String?,
        limit: Int,
        for principal: Principal,
        only: ToolSet? = nil
    ) async throws(APIError) -> [UInt8] {
        guard let reach = service.ports.reach(of: principal) else { throw ToolCallRefusal.revoked }
        var query = ToolQuery(words, limit: limit)
        (query.machines, query.serverNames, query.isReadyOnly) = (reach.machines, reach.servers, true)
        query.only = only
        if let name = machine {
            guard let asked = try await service.database.machine(named: name), reach.covers(asked) else {
                throw ToolCallRefusal.unknownMachine
            }
            query.machines = [asked]
        }
        let (keys, total) = try await service.registry.finder.find(query)
        let tools = try await named { store throws(PersistenceError) in try await store.endpointTools(keys) }
        var writer = JSONWriter(reserving: 8192)
        writer.beginObject()
        writer.beginArray("tools")
        for tool in tools { tool.writeFound(to: &writer) }
        writer.endArray()
        writer.field("total", total)
        writer.endObject()
        return writer.bytes
    }

    /// Reads tools, and gives names to those that have none.
    private func named(
        _ read: (PostgresStore) async throws(PersistenceError) -> [EndpointTool]
    ) async throws(APIError) -> [EndpointTool] {
        try await service.database.use { store throws(PersistenceError) in
            let found = try await read(store)
            let nameless = found.filter { $0.name == nil }.map(\.tool)
            guard !nameless.isEmpty else { return found }
            try await store.nameTools(nameless)
            return try await read(store)
        }
    }

    // MARK: Calls

    /// Begins a call, which goes on by itself. Returns its id.
    ///
    /// - Parameters:
    ///   - name: as it is listed here, or as the REST interface has it.
    ///   - onlyListed: a name of the REST interface is none. Returns `nil` if there is no such tool.
    package func begin(
        _ name: String,
        _ arguments: JSONValue,
        at place: EndpointPlace,
        onlyListed: Bool,
        only: ToolSet? = nil,
        _ caller: Caller
    ) async throws(APIError) -> String? {
        let named = try await service.database.use { store throws(PersistenceError) in
            try await store.endpointTool(named: name)
        }
        if onlyListed {
            guard let principal = caller.principal, let reach = service.ports.reach(of: principal), let named,
                reach.covers(named.machine, named.server), only?.contains(named.tool, of: named.server) ?? true
            else { return nil }
        }
        var request = try ToolCallRequest(
            arguments,
            session: place.session,
            project: place.project,
            machine: place.machine,
            near: ToolCallRequest.Near(sessionID: place.nearSession, toolUseID: place.toolUseID)
        )
        request.only = only
        let path = named.map { "\($0.serverID).\($0.tool)" } ?? name
        let begun = try await service.begin(path, request, caller, isKept: true)
        Task { await service.carryOut(begun) }
        return begun.row.id
    }

    /// Waits until the call has ended. Throws what the call ended with if it has no result. Returns `nil` if the task
    /// is cancelled.
    ///
    /// - Parameter caller: whose call it must be, as the audit log names principals.
    package func result(of id: String, for caller: String) async throws(APIError) -> JSONValue? {
        guard try await service.call(id).caller == caller else { throw ToolCallRefusal.unknownCall }
        guard let end = try await service.end(of: id, within: EndpointTools.longest) else { return nil }
        if let error = end.error { throw error }
        return end.result
    }

    /// Whether the tool runs. False while a person is asked, and if another server cares for the call.
    package func isRunning(_ id: String) -> Bool { service.open.isRunning(id) }

    /// A client has come back to wait for the call.
    package func returned(to id: String) async { await absences.returned(to: id) }

    /// The client's connection is lost. If it does not come back in time, nobody is asked any more. Does not block.
    package func left(_ id: String) {
        let departure = service.clock()
        Task { await absences.left(id, at: departure) }
    }
}

/// Where a call of `/mcp` is made. What is missing follows from the tool.
package struct EndpointPlace: Sendable {
    /// The session whose process makes the call.
    package var session: String?
    package var project: String?
    /// The name of a machine.
    package var machine: String?
    /// The session that asks, as the caller says.
    package var nearSession: String?
    /// Claude's id of the call that asks.
    package var toolUseID: String?

    package init() {}
}

internal import EventModel
internal import HTTPModel
internal import Persistence

extension ToolCallService {
    /// Where a call is made.
    struct Place: Sendable {
        var machine: MachineID
        var path: String
        /// The session that asks for the call, if that is known.
        var session: String?

        init(_ place: ToolService.Place, session: String? = nil) {
            (machine, path, self.session) = (place.machine, place.path, session)
        }
    }

    /// Where a call is made, and which tool is called. Throws unless the caller may run it.
    func resolve(
        _ name: String,
        _ request: ToolCallRequest,
        by principal: Principal
    ) async throws(APIError) -> (Place, ToolTarget) {
        let reach = ports.reach(of: principal)
        let place: Place
        if let id = request.sessionID {
            place = Place(try await registry.ports.place(.session(id)))
        } else if let id = request.projectID {
            place = Place(try await registry.ports.place(.project(id)))
        } else {
            var machine: MachineID?
            if let name = request.machineID {
                machine = try await database.machine(named: name)
                guard machine != nil else { throw ToolCallRefusal.unknownMachine }
            }
            place = try await ownPlace(of: name, on: machine, in: reach, near: request.near)
        }
        guard let reach, reach.covers(place.machine) else {
            let lacking: Capability = principal.isProgram ? .tools : .control
            throw .insufficientScope(principal.lacking(lacking, on: place.machine))
        }
        let target = try await target(named: name, at: place)
        guard reach.covers(place.machine, target.server),
            request.only?.contains(target.tool, of: target.server) ?? true
        else { throw ToolCallRefusal.unknownTool }
        return (place, target)
    }

    /// The place of a tool that is named without one: that of its server, if there is only one server that the caller
    /// may use. If that belongs to the whole machine, the directory of the session that asks counts.
    private func ownPlace(
        of name: String,
        on machine: MachineID?,
        in reach: ToolReach?,
        near: ToolCallRequest.Near?
    ) async throws(APIError) -> Place {
        let all = try await database.use { store throws(PersistenceError) in
            try await store.mcpTools(named: name, on: machine, path: nil)
        }
        let tools = all.filter { reach?.covers($0.machine, $0.server) ?? false }
        guard let found = tools.first else { throw ToolCallRefusal.unknownTool }
        guard tools.allSatisfy({ $0.serverID == found.serverID }) else {
            throw ToolCallRefusal.ambiguous(
                among: tools.map {
                    "\($0.serverID) (\($0.machine.shown($0.machineName) ?? "remote")\($0.path.map { ":" + $0 } ?? ""))"
                }
            )
        }
        if found.machine == .monitor { return Place((.monitor, "")) }
        let session = try await session(near, on: found.machine)
        if let path = found.path { return Place((found.machine, path), session: session?.id) }
        guard let session else { throw ToolCallRefusal.placeless }
        return Place((found.machine, session.path), session: session.id)
    }

    /// The session of a caller, if it is one of the machine.
    private func session(
        _ near: ToolCallRequest.Near?,
        on machine: MachineID
    ) async throws(APIError) -> (id: String, path: String)? {
        var ids: [String] = []
        if let id = near?.toolUseID, let session = try await ports.session(id, machine) { ids.append(session) }
        if let id = near?.sessionID { ids.append(id) }
        for id in ids {
            guard let place = try? await registry.ports.place(.session(id)), place.machine == machine,
                !place.path.isEmpty
            else { continue }
            return (id, place.path)
        }
        return nil
    }

    /// - Parameter name: `server.tool` or `server__tool`, with the server's name or its id.
    private func target(named name: String, at place: Place) async throws(APIError) -> ToolTarget {
        let (tools, servers) = try await database.use { store throws(PersistenceError) in
            (
                try await store.mcpTools(named: name, on: place.machine, path: place.path),
                try await store.mcpServers(on: place.machine, path: place.path)
            )
        }
        if let target = try ToolTarget(of: tools) { return target }
        // A remote server's tool is called only if it was listed, because only listed tools are pinned.
        guard place.machine != .monitor, var target = try ToolTarget(named: name, of: servers) else {
            throw ToolCallRefusal.unknownTool
        }
        let server = target.serverID
        let pins = try await database.use { store throws(PersistenceError) in try await store.mcpPins(of: server) }
        try target.keep(pins[target.tool])
        return target
    }
}

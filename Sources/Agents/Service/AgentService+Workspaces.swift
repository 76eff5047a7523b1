package import API
internal import EventModel
package import HTTPModel
package import JSON
internal import Persistence
internal import Sessions

/// Commands about files and repositories of machines.
extension AgentService {
    /// Has a machine's agent carry out a command about a place. A read may be repeated. A change is repeated by passing
    /// the same `id`.
    ///
    /// - Parameter seconds: the time that the agent has.
    package func carryOut(
        _ method: String,
        _ arguments: [(String, JSONValue?)],
        at place: WorkspacePlace,
        with right: WorkspaceRight,
        id: String? = nil,
        seconds: Double = 10,
        by responder: Responder
    ) async throws(APIError) -> JSONValue {
        try right.require(of: responder, on: place.machine)
        guard let link = links.link(of: place.machine) else { throw AgentRefusal.unavailable(place.machineName) }
        let path = [("path", JSONValue.string(place.path) as JSONValue?)]
        let command = AgentCommand(method, id: id ?? newID(), by: responder.actor, path + arguments)
        return try await link.call(command, seconds: seconds)
    }

    /// - Parameter name: the machine's name or its number.
    package func place(onMachine name: String, path: String) async throws(APIError) -> WorkspacePlace {
        guard let machine = try await database.machine(named: name) else {
            throw .notFound("machine_not_found", "There is no machine '\(name)'.")
        }
        return WorkspacePlace(machine: machine, machineName: links.link(of: machine)?.machineName ?? name, path: path)
    }

    /// The directory of a project.
    package func place(ofProject id: String) async throws(APIError) -> WorkspacePlace {
        let found = try await database.directory(ofProject: id)
        return WorkspacePlace(machine: found.machine, machineName: found.machineName, path: found.path)
    }

    /// The model that the project of a directory has for new sessions, by its setting `default_model`.
    func defaultModel(at path: String, on machine: MachineID) async throws(APIError) -> String? {
        let id = WorkspaceID.make(machine: machine, path: path)
        let settings = try await database.use { store throws(PersistenceError) in
            try await store.projectSettings(id: id)
        }
        guard let settings, let json = try? JSONValue.parse(settings) else { return nil }
        return json["default_model"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }
}

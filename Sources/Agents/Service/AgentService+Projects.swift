package import API
internal import EventModel
package import HTTPModel
internal import JSON
internal import Persistence

/// Directories of new projects.
extension AgentService {
    package typealias NewDirectory = (machine: String, path: String)

    /// Has an agent make a directory for a project that names none.
    ///
    /// - Parameter machine: the machine's name or number; without one, the only machine whose file says where.
    /// - Returns: nil if no machine makes directories for the caller.
    package func newDirectory(
        forProject name: String,
        on machine: String?,
        by responder: Responder
    ) async throws(APIError) -> NewDirectory? {
        var makers = links.all.filter { $0.may.makesProjects && responder.principal.may(.control, on: $0.machine) }
        if let machine {
            let id = try await database.machine(named: machine)
            makers = makers.filter { $0.machine == id }
        }
        guard let link = makers.first else { return nil }
        guard makers.count == 1 else {
            let names = makers.map(\.machineName).sorted().prefix(20).joined(separator: ", ")
            throw APIError(
                .conflict,
                status: 409,
                code: "ambiguous_machine",
                message: "Name the machine that makes the directory: \(names).",
                param: "machine_id"
            )
        }
        let arguments: [(String, JSONValue?)] = [("name", .string(name))]
        let command = AgentCommand("project/create", id: newID(), by: responder.actor, arguments)
        let made = try await link.call(command, seconds: AgentService.commandSeconds)
        guard let path = made["path"]?.path, path.hasPrefix("/") else { throw AgentRefusal.malformed }
        return (link.machineName, path)
    }
}

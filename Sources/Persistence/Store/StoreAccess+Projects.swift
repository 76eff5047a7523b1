package import EventModel
package import HTTPModel

/// The directory of a project on its machine.
package struct ProjectDirectory: Sendable {
    package let projectID: String
    package let machine: MachineID
    package let machineName: String
    package let path: String
}

extension StoreAccess {
    /// Throws 404 if there is no such project, and 422 `no_directory` if it has none.
    package func directory(ofProject id: String) async throws(APIError) -> ProjectDirectory {
        let found = try await use { store throws(PersistenceError) -> ProjectDirectory? in
            guard let workspace = try await store.workspace(id: id),
                let machine = try await store.machine(named: workspace.machineName)
            else { return nil }
            return ProjectDirectory(
                projectID: workspace.id,
                machine: machine,
                machineName: workspace.machineName,
                path: workspace.path
            )
        }
        if let found { return found }
        let isProject = try await use { store throws(PersistenceError) in try await store.hasProject(id: id) }
        guard isProject else { throw .projectNotFound }
        throw APIError(
            .invalidRequest,
            status: 422,
            code: "no_directory",
            message: "The project has no directory on a machine. Create one with 'path' and 'machine_id'.",
            param: "project_id"
        )
    }
}

extension APIError {
    package static let projectNotFound = notFound("project_not_found", "There is no project of that id.")
}

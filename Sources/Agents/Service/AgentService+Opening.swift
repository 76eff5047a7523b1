internal import API
internal import EventModel
package import HTTPModel
internal import Persistence

/// Sessions that nobody has asked for at the moment.
extension AgentService {
    private static let owner = Actor(kind: "rule", name: "auto_start")

    /// Opens a session in each workspace of the machine that wants one, unless one runs there. A process of the agent
    /// that connects again opens none: a session that a person has ended stays ended.
    ///
    /// - Returns: the workspaces in which that failed.
    package func openWorkspaces(of link: AgentLink) async throws(APIError) -> [(path: String, error: APIError)] {
        guard link.may.control else { return [] }
        let workspaces = try await database.use { store throws(PersistenceError) -> [WorkspaceRecord] in
            let wanted = try await store.workspacesToOpen(on: link.machine)
            guard let instance = link.greeting.instance, !wanted.isEmpty else { return wanted }
            return try await store.beginOpening(for: instance, on: link.machine) ? wanted : []
        }
        var failed: [(path: String, error: APIError)] = []
        for workspace in workspaces where !link.greeting.sessions.contains(where: { $0.directory == workspace.path }) {
            do throws(APIError) {
                guard try await !ports.isRunning(workspace.id) else { continue }
                try await begin(SessionStart(), newID(), in: workspace.path, link, by: AgentService.owner)
            } catch {
                failed.append((workspace.path, error))
            }
        }
        return failed
    }
}

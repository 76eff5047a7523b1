package import API
package import HTTPModel
package import JSON

extension AgentService {
    /// Has a machine's agent tell which MCP servers a directory has, and which tools they have.
    package func toolServers(
        at place: WorkspacePlace,
        seconds: Double,
        by responder: Responder
    ) async throws(APIError) -> JSONValue {
        try await carryOut("mcp/list", [], at: place, with: .change, seconds: seconds, by: responder)
    }
}

package import API
package import HTTPModel
internal import JSON
internal import Sessions

/// The terminals of sessions.
extension AgentService {
    static let usualSize = JSONValue.object([("columns", .integer(120)), ("rows", .integer(40))])

    /// Types at the terminal of a session. Keys are never repeated: if the outcome is unknown, the error says so.
    package func type(_ keys: String, in id: String, by responder: Responder) async throws(APIError) {
        try await command("pty/input", id, [("data", .string(keys))], responder)
    }

    /// Gives the terminal of a session a size. The session draws its screen again.
    package func resize(_ id: String, columns: Int64, rows: Int64, by responder: Responder) async throws(APIError) {
        try await command("pty/resize", id, [("columns", .integer(columns)), ("rows", .integer(rows))], responder)
    }

    private func command(
        _ method: String,
        _ id: String,
        _ arguments: [(String, JSONValue?)],
        _ responder: Responder
    ) async throws(APIError) {
        let session = try await ports.session(id)
        try require(on: session.machine, by: responder)
        let command = AgentCommand(
            method,
            id: newID(),
            by: responder.actor,
            [("session_id", .string(session.id))] + arguments
        )
        _ = try await driving(session).call(command, seconds: AgentService.commandSeconds)
    }
}

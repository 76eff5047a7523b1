package import API
internal import HTTPModel
internal import JSON
package import Persistence

extension Feature {
    /// Notes of people about sessions.
    package static func notes(_ database: any StoreAccess) -> Feature {
        var feature = Feature("notes")
        feature.routes = NoteRoutes(database: database).routes
        feature.schemas = NoteRoutes.shape.definitions + [("NoteChange", NoteRoutes.change)]
        feature.retention = [.orphans(NoteStatements.forget)]
        feature.erasure = [ErasureStep([NoteStatements.erase])]
        return feature
    }
}

struct NoteRoutes: Sendable {
    let database: any StoreAccess
    var routes: [Route] {
        [
            Route(.get, "/v1/sessions/{id}/note", .read, handler: show)
                .described("What a person noted about a session.", as: "Note", faults: [404]),
            Route(.put, "/v1/sessions/{id}/note", .respond, handler: write)
                .described("Notes something about a session.", body: "NoteChange", as: "Note"),
        ]
    }

    static let shape = ObjectShape<String>("Note") { it in it.member("text") { $0 } }
    static let change = JSONSchema.object(["text": JSONSchema.printable(1000)])

    @Sendable private func show(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let text = try await run(NoteStatements.read, Parameters(of: request.parameters["id"] ?? ""))
        guard let text else { throw .notFound("note_not_found", "Nobody has noted anything about this session.") }
        return .json(NoteRoutes.shape, text)
    }

    @Sendable private func write(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let text = try RequestObject(request.http.body).text("text", atMost: 1000)
        _ = try await run(NoteStatements.write, Parameters(of: request.parameters["id"] ?? "", text))
        return .json(NoteRoutes.shape, text)
    }

    private func run(_ sql: Statement, _ given: Parameters) async throws(APIError) -> String? {
        try await database.use { store throws(PersistenceError) in
            try await store.run { connection throws(PersistenceError) in try connection.query(sql, given).firstValue() }
        }
    }
}

private enum NoteStatements {
    static let read = Statement("note", [.text], "SELECT body FROM notes WHERE id = $1")
    static let write = Statement(
        "write_note",
        [.text, .text],
        "INSERT INTO notes VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET body = $2"
    )
    static let erase = Statement("erase_notes", "DELETE FROM notes USING erased_sessions WHERE id = session_id")
    static let forget = Statement("forget_notes", "DELETE FROM notes WHERE id NOT IN (SELECT id FROM sessions)")
}

package import API
internal import EventIngest
internal import EventModel
package import HTTPModel
internal import JSON
internal import Persistence
package import Sessions

/// Switches the permission mode and the model of a session that an agent runs.
package struct SessionDriver: Sendable {
    private let change: @Sendable (Session, _ mode: String?, _ model: String?, Responder) async throws(APIError) -> Void

    package init(
        set: @escaping @Sendable (Session, _ mode: String?, _ model: String?, Responder) async throws(APIError) -> Void
    ) {
        change = set
    }

    /// A mode or model that is `nil` stays.
    package func set(
        _ session: Session,
        mode: String?,
        model: String?,
        by responder: Responder
    ) async throws(APIError) {
        try await change(session, mode, model, responder)
    }
}

/// `PATCH /v1/sessions` and `PATCH /v1/sessions/{id}`: a person renames, pins and archives sessions.
///
/// Each change is an event of the log, so that all clients see it and a rebuild keeps it.
struct SessionChangeRoutes: Sendable {
    let database: any StoreAccess
    let pipeline: IngestPipeline
    let drive: SessionDriver
    let effects: EffectCounter
    let clock: @Sendable () -> Timestamp

    /// Maximum number of sessions that one request changes.
    private static let mostSessions = 500

    var routes: [Route] {
        [
            Route(.patch, "/v1/sessions", .respond, handler: changeSeveral)
                .accepting(bytes: 256 << 10)
                .described(
                    "Archives sessions, or takes them out of the archive.",
                    body: "SessionsChange",
                    as: "ChangedSessions"
                ),
            Route(.patch, "/v1/sessions/{id}", .respond, handler: changeOne)
                .described(
                    "Renames, pins or archives a session, or switches the mode or model of one that an agent runs.",
                    body: "SessionChange",
                    as: "Session",
                    faults: [404, 409, 503, 504]
                ),
        ]
    }

    @Sendable private func changeOne(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let body = try JSONValue(object: request.http.body)
        let change = try SessionChange(body: body)
        let (mode, model) = (try body.word("permission_mode"), try body.word("model"))
        guard !change.isEmpty || mode != nil || model != nil else {
            throw .invalid("missing_parameter", "The body names nothing that can be changed.")
        }
        let id = request.parameters["id"] ?? ""
        let session = try await database.sessionWithEvidence(id: id, now: clock())
        if mode != nil || model != nil {
            try await drive.set(session, mode: mode, model: model, by: try request.responder())
        }
        if !change.isEmpty { try await add(change, to: [session], request) }
        return .json(Session.shape, (try await database.sessionWithEvidence(id: id, now: clock()), clock()))
    }

    @Sendable private func changeSeveral(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let body = try JSONValue(object: request.http.body)
        let ids = body["ids"]?.array?.compactMap(\.string) ?? []
        guard (1...SessionChangeRoutes.mostSessions).contains(ids.count), ids.count == body["ids"]?.array?.count else {
            throw .invalid(
                "invalid_parameter",
                "'ids' must be 1 to \(SessionChangeRoutes.mostSessions) ids of sessions.",
                param: "ids"
            )
        }
        var change = SessionChange()
        change.isArchived = try body.flag("archived")
        guard !change.isEmpty else { throw .invalid("missing_parameter", "'archived' is missing.", param: "archived") }
        let asked = Set(ids)
        let found = try await database.use { store throws(PersistenceError) in try await store.sessions(ids: asked) }
        try await add(change, to: found, request)
        let known = found.map(\.id)
        let missing = asked.subtracting(known).sorted()
        return .json(ChangedSessions.shape, ChangedSessions(changed: known.sorted(), missing: missing))
    }

    /// Adds an event for each session that differs from the change, and nothing if the caller may not change one of the
    /// sessions.
    private func add(_ change: SessionChange, to sessions: [Session], _ request: RouteRequest) async throws(APIError) {
        let responder = try request.responder()
        for session in sessions { try responder.require(on: session.machine) }
        let sessions = sessions.filter { change.changes($0) }
        guard !sessions.isEmpty else { return }
        try effects.take(sessions.count, of: responder.principal)
        for outcome in await pipeline.submit(sessions.map { event(of: change, in: $0, by: responder.actor) }) {
            if case .unavailable(let error) = outcome { throw error }
        }
    }

    private func event(of change: SessionChange, in session: Session, by actor: Actor) -> MonitorEvent {
        var random = SystemRandomNumberGenerator()
        let now = clock()
        var payload = JSONWriter()
        payload.beginObject()
        payload.field("session_id", session.id)
        change.write(to: &payload)
        payload.key("by")
        Actor.shape.write(actor, to: &payload)
        payload.endObject()
        return MonitorEvent(
            id: .version7(at: now, using: &random),
            type: .sessionChanged,
            hookEventName: nil,
            timestamp: now,
            receivedAt: now,
            machine: session.machine,
            machineName: session.machineName,
            reportedMachineName: session.reportedMachineName,
            sessionID: session.id,
            projectPath: nil,
            toolName: nil,
            summary: change.summary,
            payload: payload.bytes,
            facts: SessionFacts()
        )
    }
}

/// The answer to a change of several sessions.
struct ChangedSessions: Sendable {
    /// Also those that were so before.
    let changed: [String]
    /// Ids that belong to no session.
    let missing: [String]

    static let shape = ObjectShape<ChangedSessions>("ChangedSessions") { it in
        it.member("changed") { $0.changed }
        it.member("not_found") { $0.missing }
    }
}

extension SessionChange {
    private static let mostCharacters = 200

    fileprivate init(body: JSONValue) throws(APIError) {
        self.init()
        if let title = body["title"] {
            guard let text = title == .null ? "" : title.string, SessionChange.isTitle(text) else {
                throw .invalid(
                    "invalid_parameter",
                    "'title' must be null or a line of at most \(SessionChange.mostCharacters) characters.",
                    param: "title"
                )
            }
            self.title = text
        }
        isPinned = try body.flag("pinned")
        isArchived = try body.flag("archived")
    }

    /// An empty text removes the title.
    private static func isTitle(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        guard scalars.count <= mostCharacters else { return false }
        guard !scalars.contains(where: { $0.properties.generalCategory == .control }) else { return false }
        return text.isEmpty || !scalars.allSatisfy(\.properties.isWhitespace)
    }
}

extension JSONValue {
    /// Returns `nil` if the member is missing or null.
    fileprivate func word(_ name: String) throws(APIError) -> String? {
        guard let value = self[name], value != .null else { return nil }
        guard let word = value.string, (1...128).contains(word.utf8.count) else {
            throw .invalid("invalid_parameter", "'\(name)' must be 1 to 128 characters.", param: name)
        }
        return word
    }

    /// Returns `nil` if the member is missing.
    fileprivate func flag(_ name: String) throws(APIError) -> Bool? {
        guard let value = self[name] else { return nil }
        guard let flag = value.bool else {
            throw .invalid("invalid_parameter", "'\(name)' must be true or false.", param: name)
        }
        return flag
    }
}

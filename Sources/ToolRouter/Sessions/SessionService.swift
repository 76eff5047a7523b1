internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence
internal import Signing

/// Creates, changes and deletes sessions. Only the key that created a session finds it.
struct SessionService: Sendable {
    /// The most levels of nested values in a configuration.
    private static let mostLevels = 12
    private static let idLength = 20

    let router: ToolRouter

    func create(_ body: [UInt8], _ caller: RouterCaller) async throws(APIError) -> RouterSession {
        let config = try SessionConfig(try SessionService.members(of: body))
        var random = SystemRandomNumberGenerator()
        let id = "trs_" + String(decoding: Base62.random(SessionService.idLength, using: &random), as: UTF8.self)
        let now = router.clock()
        let made = try await router.database.use { store throws(PersistenceError) in
            try await store.createRouterSession(id, key: caller.key.id, config, at: now)
        }
        guard let made else { throw RouterFault.unknownSession }
        return made
    }

    func session(_ id: String, _ caller: RouterCaller) async throws(APIError) -> RouterSession {
        let now = router.clock()
        let found = try await router.database.use { store throws(PersistenceError) in
            try await store.routerSession(id, key: caller.key.id, at: now)
        }
        guard let found else { throw RouterFault.unknownSession }
        return found
    }

    /// Replaces the members that the body names. Null removes one.
    func change(_ id: String, _ body: [UInt8], _ caller: RouterCaller) async throws(APIError) -> RouterSession {
        let session = try await session(id, caller)
        let changes = try SessionService.members(of: body)
        guard case .object(let known) = session.config.json, case .object(let named) = changes else {
            throw RouterFault.unknownSession
        }
        if let user = changes["user_id"], user.string != session.userID {
            throw RouterFault.badRequest("A session's user does not change. Create another session.", param: "user_id")
        }
        let names = Set(named.map(\.0))
        let merged = known.filter { !names.contains($0.0) } + named.filter { $0.1 != .null }
        let config = try SessionConfig(.object(merged))
        let now = router.clock()
        let changed = try await router.database.use { store throws(PersistenceError) in
            try await store.changeRouterSession(session, to: config, at: now)
        }
        guard let changed else { throw SessionService.changedMeanwhile }
        return changed
    }

    func delete(_ id: String, _ caller: RouterCaller) async throws(APIError) {
        let isDeleted = try await router.database.use { store throws(PersistenceError) in
            try await store.deleteRouterSession(id, key: caller.key.id)
        }
        guard isDeleted else { throw RouterFault.unknownSession }
    }

    private static let changedMeanwhile = APIError(
        .conflict,
        status: 409,
        code: "session_changed",
        message: "The session was changed meanwhile. Read it again.",
        retryAfter: 1
    )

    private static let twins = [
        "userId": "user_id", "authConfigs": "auth_configs", "connectedAccounts": "connected_accounts",
        "manageConnections": "manage_connections", "multiAccount": "multi_account",
    ]

    /// The members that are stored, under their names in the database. Accepts the names of Swift clients, too.
    private static func members(of body: [UInt8]) throws(APIError) -> JSONValue {
        guard let json = try? JSONValue.parse(body, maxDepth: mostLevels), case .object(let given) = json else {
            throw RouterFault.badRequest("The body must be a JSON object.")
        }
        let named = given.map { (twins[$0.0] ?? $0.0, $0.1) }
        return .object(named.filter { SessionConfig.members.contains($0.0) })
    }
}

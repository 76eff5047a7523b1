internal import HTTPModel
internal import Persistence
internal import Secrets

/// What a login takes over from earlier ones.
extension LoginService {
    /// The scope to ask for. If the MCP server has refused a request for lack of scope, includes the scope it required.
    func scope(
        of wish: LoginWish,
        for key: ConnectionKey,
        else usual: String?
    ) async throws(APIError) -> String? {
        if let scope = wish.scope { return scope }
        let found = try await database.use { store throws(PersistenceError) in try await store.oauthConnection(key) }
        guard let found, let wanted = found.wantedScope else { return usual }
        return OAuthScope.union([usual ?? "", found.scope ?? "", wanted])
    }

    /// The client that a person has entered for the server, if users of programs can get no other client.
    func givenClient(
        at server: AuthorizationServer,
        _ wish: LoginWish,
        for key: ConnectionKey
    ) async throws(APIError) -> OAuthClient? {
        let hasOwn = server.registrationEndpoint != nil || server.takesClientDocuments && wish.document != nil
        guard !hasOwn, !key.account.isEmpty else { return nil }
        let shared = ConnectionKey(server: key.server)
        let found = try await database.use { store throws(PersistenceError) in try await store.oauthConnection(shared) }
        guard let found, found.issuer == server.issuer else { return nil }
        let secret = try found.clientSecret.map { sealed throws(APIError) in
            try vault.open(sealed, at: ConnectionSecrets.place("client_secret", shared))
        }
        return OAuthClient(id: found.clientID, secret: secret.map { String(decoding: $0, as: UTF8.self) })
    }
}

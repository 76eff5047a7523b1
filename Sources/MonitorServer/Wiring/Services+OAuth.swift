internal import Audit
internal import HTTPClient
internal import HTTPModel
internal import Host
internal import OAuth
internal import Persistence
internal import Secrets
internal import Serving
internal import Sessions
internal import Settings
internal import Tools

extension Services {
    /// Documents and tokens of authorization servers are small.
    private static let limits = OutboundLimits(seconds: 20, bytes: 256 << 10)

    /// The tokens with which remote MCP servers are called.
    static func remoteTokens(_ tokens: TokenService) -> RemoteTokens {
        RemoteTokens(
            token: { holder, location, refused in
                let known = refused.map { BearerToken(text: $0.text, generation: $0.generation) }
                do throws(APIError) {
                    let found = try await tokens.token(ConnectionKey(holder), at: location, after: known)
                    return .success(found.map { RemoteTokens.Token(text: $0.text, generation: $0.generation) })
                } catch {
                    return .failure(error)
                }
            },
            reject: { holder, token in
                let refused = BearerToken(text: token.text, generation: token.generation)
                try? await tokens.reject(ConnectionKey(holder), refused)
            },
            widen: { holder, scope in try? await tokens.widen(ConnectionKey(holder), scope) }
        )
    }

    /// Logins at remote MCP servers, and the tokens that they give.
    static func oauth(
        _ configuration: Configuration,
        _ vault: SecretVault,
        _ database: Database,
        _ audit: AccessAudit
    ) -> AccountService {
        let client = OutboundClient(
            rules: .public(and: configuration.toolNetworks),
            caFile: configuration.toolCAFile,
            clock: { SystemClock.monotonicSeconds() }
        )
        let ports = OAuthPorts(
            server: { id throws(APIError) in
                let url = try await database.use { store throws(PersistenceError) in
                    try await store.remoteServerURL(id)
                }
                guard let location = url.flatMap(HTTPLocation.init) else {
                    throw .notFound("mcp_server_not_found", "There is no remote MCP server of that id.")
                }
                return location
            },
            send: { request throws(OutboundError) in try await client.response(to: request, within: limits) }
        )
        return AccountService(
            logins: LoginService(ports: ports, vault: vault, database: database, audit: audit),
            tokens: TokenService(ports: ports, vault: vault, database: database, clock: audit.clock),
            changes: AccountChanges(),
            rules: configuration.toolCallbacks,
            place: LoginPlace(publicURL: configuration.publicURL)
        )
    }
}

extension ConnectionKey {
    fileprivate init(_ holder: RemoteTokens.Holder) {
        self.init(server: holder.server, account: holder.account ?? "")
    }
}

/// Passes on that accounts have changed.
struct AccountObserver: ProjectionObserver {
    let changes: AccountChanges

    func changedElsewhere(_ what: String) { changes.changedElsewhere(what) }
}

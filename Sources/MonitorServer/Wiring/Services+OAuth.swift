internal import Audit
internal import HTTPClient
internal import HTTPModel
internal import Host
internal import OAuth
internal import Persistence
internal import Secrets
internal import Serving
internal import Settings
internal import Tools

extension Services {
    /// Documents and tokens of authorization servers are small.
    private static let limits = OutboundLimits(seconds: 20, bytes: 256 << 10)

    /// The tokens that all who may use a remote MCP server share.
    static func remoteTokens(_ tokens: TokenService) -> RemoteTokens {
        RemoteTokens(
            token: { server, location, refused in
                let known = refused.map { BearerToken(text: $0.text, generation: $0.generation) }
                do throws(APIError) {
                    let found = try await tokens.token(ConnectionKey(server: server), at: location, after: known)
                    return .success(found.map { RemoteTokens.Token(text: $0.text, generation: $0.generation) })
                } catch {
                    return .failure(error)
                }
            },
            reject: { server, token in
                let refused = BearerToken(text: token.text, generation: token.generation)
                try? await tokens.reject(ConnectionKey(server: server), refused)
            },
            forget: { server in _ = try? await tokens.disconnect(ConnectionKey(server: server)) }
        )
    }

    /// Logins at remote MCP servers, and the tokens that they give.
    static func oauth(
        _ configuration: Configuration,
        _ vault: SecretVault,
        _ database: Database,
        _ audit: AccessAudit
    ) -> (logins: LoginService, tokens: TokenService) {
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
        return (
            LoginService(ports: ports, vault: vault, database: database, audit: audit),
            TokenService(ports: ports, vault: vault, database: database, clock: audit.clock)
        )
    }
}

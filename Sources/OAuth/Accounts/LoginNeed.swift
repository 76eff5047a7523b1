internal import API
package import HTTPModel
internal import Persistence

/// What callers need in order to use the tools of a remote MCP server.
package enum LoginNeed: String, Sendable {
    /// Nobody needs to log in, as far as is known.
    case none
    /// Each user can log in.
    case login
    /// The operator has stored headers. There is no login, as far as is known.
    case headers
}

extension AccountService {
    /// The needs of remote servers, by their ids. Other servers are left out.
    package func needs(of servers: [String]) async throws(APIError) -> [String: LoginNeed] {
        guard !servers.isEmpty else { return [:] }
        return try await database.use { store throws(PersistenceError) in try await store.loginNeeds(of: servers) }
    }
}

extension PostgresStore {
    fileprivate func loginNeeds(of servers: [String]) async throws(PersistenceError) -> [String: LoginNeed] {
        try await run { connection throws(PersistenceError) in
            var needs: [String: LoginNeed] = [:]
            for row in try connection.query(LoginNeed.statement, Parameters(of: servers)).rows {
                let (id, word): (String, String) = try row.values()
                needs[id] = LoginNeed(rawValue: word)
            }
            return needs
        }
    }
}

extension LoginNeed {
    /// A server has a login if anybody's tokens for it are stored, or if it refuses requests without credentials.
    fileprivate static let statement = Statement(
        "login_needs",
        [.textArray],
        """
        SELECT r.server_id, CASE WHEN EXISTS (SELECT FROM oauth_connections c WHERE c.server_id = r.server_id)
            THEN 'login' WHEN r.headers IS NOT NULL AND s.state <> 'needs-auth' THEN 'headers'
            WHEN s.state = 'needs-auth' THEN 'login' ELSE 'none' END
        FROM remote_mcp_servers r JOIN mcp_servers s ON s.id = r.server_id WHERE r.server_id = ANY ($1)
        """
    )
}

internal import Persistence

enum OAuthStatements {
    /// Microseconds, by the clock of the database.
    private static let newGeneration = "(extract(epoch FROM clock_timestamp()) * 1000000)::int8"

    private static let columns = """
        server_id, account, state, reason, generation, resource, issuer, token_endpoint, revocation_endpoint,
        client_id, client_secret, secret_in_form, scope, access_token, refresh_token, expires_at, refreshing_until,
        connected_by, connected_at, refreshed_at, wanted_scope
        """

    static let server = Statement(
        "remote_server_url",
        [.text],
        "SELECT url FROM remote_mcp_servers WHERE server_id = $1"
    )

    static let expireLogins = Statement(
        "expire_oauth_logins",
        [.timestamptz],
        "DELETE FROM oauth_logins WHERE expires_at < $1"
    )

    static let keepLogin = Statement(
        "keep_oauth_login",
        [.bytea, .text, .text, .bytea, .bytea, .text, .timestamptz],
        "INSERT INTO oauth_logins VALUES ($1, $2, $3, $4, $5, $6, $7)"
    )

    static let takeLogin = Statement(
        "take_oauth_login",
        [.bytea],
        """
        DELETE FROM oauth_logins WHERE state_sha256 = $1
        RETURNING server_id, account, browser_sha256, started_by, expires_at, login
        """
    )

    static let client = Statement(
        "oauth_client",
        [.text, .text],
        "SELECT client_id, client_secret, expires_at FROM oauth_clients WHERE issuer = $1 AND redirect_uri = $2"
    )

    static let keepClient = Statement(
        "keep_oauth_client",
        [.text, .text, .text, .bytea, .timestamptz, .timestamptz],
        """
        INSERT INTO oauth_clients VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (issuer, redirect_uri) DO UPDATE
        SET client_id = $3, client_secret = $4, expires_at = $5, registered_at = $6
        """
    )

    static let forgetClient = Statement(
        "forget_oauth_client",
        [.text, .text],
        "DELETE FROM oauth_clients WHERE issuer = $1 AND redirect_uri = $2"
    )

    /// A new login replaces what was there. No generation comes again after a connection was removed, so that a refresh
    /// which is still under way does not store its tokens in another connection.
    static let connect = Statement(
        "connect_oauth",
        [
            .text, .text, .text, .text, .text, .text, .text, .bytea, .bool, .text, .bytea, .bytea, .timestamptz,
            .text, .timestamptz,
        ],
        """
        INSERT INTO oauth_connections AS old (server_id, account, state, generation, resource, issuer, token_endpoint,
            revocation_endpoint, client_id, client_secret, secret_in_form, scope, access_token, refresh_token,
            expires_at, connected_by, connected_at)
        VALUES ($1, $2, 'connected', \(newGeneration),
            $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
        ON CONFLICT (server_id, account) DO UPDATE
        SET (state, reason, generation, resource, issuer, token_endpoint, revocation_endpoint, client_id,
            client_secret, secret_in_form, scope, access_token, refresh_token, expires_at, refreshing_until,
             connected_by, connected_at, refreshed_at, wanted_scope) =
             ('connected', NULL, greatest(old.generation + 1, \(newGeneration)),
             $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, NULL, $14, $15, NULL, NULL)
        """
    )

    static let connection = Statement(
        "oauth_connection",
        [.text, .text],
        "SELECT \(columns) FROM oauth_connections WHERE server_id = $1 AND account = $2"
    )

    static let remove = Statement(
        "remove_oauth_connection",
        [.text, .text],
        "DELETE FROM oauth_connections WHERE server_id = $1 AND account = $2 RETURNING \(columns)"
    )

    /// By the clock of the database, which all servers share.
    static let claim = Statement(
        "claim_oauth_refresh",
        [.text, .text, .int8, .float8],
        """
        UPDATE oauth_connections SET refreshing_until = clock_timestamp() + make_interval(secs => $4)
        WHERE server_id = $1 AND account = $2 AND generation = $3 AND state = 'connected'
            AND (refreshing_until IS NULL OR refreshing_until <= clock_timestamp())
        RETURNING \(columns)
        """
    )

    static let release = Statement(
        "release_oauth_refresh",
        [.text, .text, .int8],
        """
        UPDATE oauth_connections SET refreshing_until = NULL
        WHERE server_id = $1 AND account = $2 AND generation = $3
        """
    )

    /// A server that gives no new refresh token leaves the old one valid (RFC 6749 section 6).
    static let refreshed = Statement(
        "keep_oauth_refresh",
        [.text, .text, .int8, .bytea, .bytea, .timestamptz, .text, .timestamptz],
        """
        UPDATE oauth_connections
        SET generation = generation + 1, access_token = $4, refresh_token = coalesce($5, refresh_token),
            expires_at = $6, scope = coalesce($7, scope), refreshed_at = $8, refreshing_until = NULL
        WHERE server_id = $1 AND account = $2 AND generation = $3
        RETURNING \(columns)
        """
    )

    static let lose = Statement(
        "lose_oauth_connection",
        [.text, .text, .int8, .text],
        """
        UPDATE oauth_connections
        SET state = 'needs_login', reason = $4, generation = generation + 1, access_token = NULL,
            refresh_token = NULL, refreshing_until = NULL
        WHERE server_id = $1 AND account = $2 AND generation = $3
        """
    )

    /// Notes what a request needs beyond the scope of the tokens. A later login asks for it.
    static let widen = Statement(
        "widen_oauth_connection",
        [.text, .text, .text],
        "UPDATE oauth_connections SET wanted_scope = $3 WHERE server_id = $1 AND account = $2 AND state = 'connected'"
    )

    /// A login without a browser is a link that nobody has followed yet.
    static let offered = Statement(
        "offered_oauth_login",
        [.bytea, .timestamptz],
        """
        SELECT l.server_id, l.account, s.name FROM oauth_logins l JOIN mcp_servers s ON s.id = l.server_id
        WHERE l.state_sha256 = $1 AND l.browser_sha256 = '' AND l.expires_at > $2
        """
    )
}

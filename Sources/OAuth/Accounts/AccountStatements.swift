internal import Persistence

/// SQL of connected accounts.
enum AccountStatements {
    /// The most accounts of one user at one server, and of one key.
    private static let (mostOfUser, mostOfKey) = (50, 10_000)

    private static let columns = """
        a.id, k.name, a.server_id, s.name, a.alias, a.api_key_id, a.user_id, a.state, a.reason, a.link_expires_at,
            a.callback_url, a.created_at, a.updated_at, r.url, c.state, c.reason, c.resource, c.scope, c.wanted_scope,
            c.expires_at, c.client_id, EXISTS (SELECT FROM oauth_clients o WHERE o.issuer = c.issuer
                AND o.client_id = c.client_id)
        FROM connected_accounts a JOIN api_keys k ON k.id = a.api_key_id JOIN mcp_servers s ON s.id = a.server_id
            JOIN remote_mcp_servers r ON r.server_id = a.server_id
            LEFT JOIN oauth_connections c ON c.server_id = a.server_id AND c.account = a.id
        """

    /// Returns no row if there are too many accounts, or if the server is gone.
    static let add = Statement(
        "add_connected_account",
        [.text, .int8, .text, .text, .text, .bytea, .timestamptz, .text, .timestamptz],
        """
        INSERT INTO connected_accounts (id, api_key_id, user_id, server_id, alias, state, link_sha256, link_expires_at,
            callback_url, created_at, updated_at)
        SELECT $1, $2, $3, server_id, $5, 'initializing', $6, $7, $8, $9, $9 FROM remote_mcp_servers
        WHERE server_id = $4 AND (SELECT count(*) FROM connected_accounts
                WHERE api_key_id = $2 AND user_id = $3 AND server_id = $4) < \(mostOfUser)
            AND (SELECT count(*) FROM connected_accounts WHERE api_key_id = $2) < \(mostOfKey)
        RETURNING id
        """
    )

    /// A new link replaces the previous one.
    static let relink = Statement(
        "relink_connected_account",
        [.text, .int8, .bytea, .timestamptz, .text, .timestamptz],
        """
        UPDATE connected_accounts SET state = 'initializing', reason = NULL, link_sha256 = $3, link_expires_at = $4,
            callback_url = $5, updated_at = $6
        WHERE id = $1 AND api_key_id = $2 AND state <> 'revoked' RETURNING id
        """
    )

    static let one = Statement("connected_account", [.text], "SELECT \(columns) WHERE a.id = $1")

    static let list = Statement(
        "connected_accounts",
        [.int8, .textArray, .textArray, .textArray, .timestamptz, .text, .int8],
        """
        SELECT \(columns)
        WHERE ($1::int8 IS NULL OR a.api_key_id = $1) AND (cardinality($2) = 0 OR a.user_id = ANY ($2))
            AND (cardinality($3) = 0 OR a.server_id = ANY ($3)) AND (cardinality($4) = 0 OR a.id = ANY ($4))
            AND ($5::timestamptz IS NULL OR (a.created_at, a.id) < ($5, $6))
        ORDER BY a.created_at DESC, a.id DESC LIMIT $7
        """
    )

    static let linked = Statement(
        "linked_account",
        [.bytea, .timestamptz],
        "SELECT \(columns) WHERE a.link_sha256 = $1 AND a.link_expires_at > $2 AND k.revoked_at IS NULL"
    )

    /// Uses the link up.
    static let follow = Statement(
        "follow_account_link",
        [.bytea, .timestamptz, .timestamptz],
        """
        UPDATE connected_accounts SET state = 'initiated', link_sha256 = NULL, link_expires_at = $3, updated_at = $2
        WHERE link_sha256 = $1 AND link_expires_at > $2
            AND api_key_id IN (SELECT id FROM api_keys WHERE revoked_at IS NULL)
        RETURNING id
        """
    )

    /// Makes the link valid again, because the authorization server could not be reached.
    static let giveBack = Statement(
        "give_account_link_back",
        [.text, .bytea, .timestamptz, .timestamptz],
        """
        UPDATE connected_accounts SET state = 'initializing', link_sha256 = $2, link_expires_at = $3, updated_at = $4
        WHERE id = $1 AND state = 'initiated' AND link_sha256 IS NULL
        """
    )

    static let fail = Statement(
        "fail_connected_account",
        [.text, .text, .timestamptz],
        """
        UPDATE connected_accounts SET state = 'failed', reason = $2, link_expires_at = NULL, updated_at = $3
        WHERE id = $1 AND state = 'initiated'
        """
    )

    /// Returns no row if the account was removed meanwhile, or got another link.
    static let activate = Statement(
        "activate_connected_account",
        [.text, .timestamptz],
        """
        UPDATE connected_accounts SET state = 'active', reason = NULL, link_expires_at = NULL, updated_at = $2
        WHERE id = $1 AND state = 'initiated' RETURNING id
        """
    )

    static let remove = Statement(
        "remove_connected_account",
        [.text],
        "DELETE FROM connected_accounts WHERE id = $1 RETURNING id"
    )

    static let revoke = Statement(
        "revoke_connected_account",
        [.text, .text, .timestamptz],
        """
        UPDATE connected_accounts SET state = 'revoked', reason = $2, link_sha256 = NULL, link_expires_at = NULL,
            updated_at = $3
        WHERE id = $1 AND state <> 'revoked' RETURNING id
        """
    )

    static let forgetLogins = Statement(
        "forget_logins_of_account",
        [.text],
        "DELETE FROM oauth_logins WHERE account = $1"
    )

    static let ofServer = Statement(
        "accounts_with_tokens",
        [.text],
        "SELECT account FROM oauth_connections WHERE server_id = $1"
    )

    /// Tokens of accounts that are gone, or of keys that were revoked.
    static let orphans = Statement(
        "orphaned_oauth_connections",
        [.int8],
        """
        SELECT c.server_id, c.account FROM oauth_connections c
        WHERE c.account <> '' AND NOT EXISTS (SELECT FROM connected_accounts a JOIN api_keys k ON k.id = a.api_key_id
            WHERE a.id = c.account AND a.state <> 'revoked' AND k.revoked_at IS NULL) LIMIT $1
        """
    )

    static let forget = Statement(
        "forget_connected_accounts",
        [.timestamptz],
        """
        DELETE FROM connected_accounts a WHERE updated_at < $1
            AND NOT EXISTS (SELECT FROM oauth_connections c WHERE c.account = a.id)
        """
    )
}

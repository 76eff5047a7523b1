internal import Persistence

/// SQL of remote MCP servers.
enum RemoteStatements {
    static let add = Statement(
        "add_remote_mcp_server",
        [.text, .text, .text, .bytea, .bool, .text, .timestamptz],
        """
        INSERT INTO remote_mcp_servers (server_id, url, header_names, headers, trusts_hints, created_by, changed_at,
            next_listing_at, failures)
        SELECT $1, $2, $3, $4, $5, $6, $7, $7, 0
        WHERE (SELECT count(*) FROM remote_mcp_servers) < \(RemoteServerChange.mostServers)
        ON CONFLICT DO NOTHING RETURNING server_id
        """
    )

    /// Takes back a server that was not added.
    static let hide = Statement(
        "hide_mcp_server",
        [.text],
        """
        UPDATE mcp_servers SET is_present = false
        WHERE id = $1 AND NOT EXISTS (SELECT FROM remote_mcp_servers WHERE server_id = $1)
        """
    )

    /// What the server said at its old address, or to other credentials, counts no more.
    static let change = Statement(
        "change_remote_mcp_server",
        [.text, .text, .text, .bytea, .bool, .timestamptz, .timestamptz],
        """
        UPDATE remote_mcp_servers SET url = $2, header_names = $3, headers = $4, trusts_hints = $5, changed_at = $6,
            next_listing_at = $6, listed_at = NULL, failures = 0
        WHERE server_id = $1 AND changed_at = $7 RETURNING server_id
        """
    )

    static let move = Statement(
        "move_remote_mcp_server",
        [.text, .text, .bool, .timestamptz, .timestamptz],
        """
        UPDATE remote_mcp_servers SET url = $2, trusts_hints = $3, changed_at = $4, next_listing_at = $4,
            listed_at = NULL, failures = 0
        WHERE server_id = $1 AND changed_at = $5 RETURNING server_id
        """
    )

    /// The pins of its tools stay, as for a machine's server that is gone.
    static let remove = Statement(
        "remove_remote_mcp_server",
        [.text],
        """
        WITH removed AS (DELETE FROM remote_mcp_servers WHERE server_id = $1 RETURNING server_id)
        UPDATE mcp_servers SET is_present = false WHERE id IN (SELECT server_id FROM removed) RETURNING id
        """
    )

    static let one = Statement("remote_mcp_server", [.text], "SELECT \(columns) AND s.id = $1")

    /// Takes the servers whose time has come. Another server that asks meanwhile does not get them.
    static let claim = Statement(
        "claim_remote_mcp_servers",
        [.timestamptz, .timestamptz, .int8],
        """
        UPDATE remote_mcp_servers SET next_listing_at = $2
        WHERE server_id IN (SELECT server_id FROM remote_mcp_servers WHERE next_listing_at <= $1
            ORDER BY next_listing_at LIMIT $3 FOR UPDATE SKIP LOCKED)
        RETURNING server_id
        """
    )

    static let listed = Statement(
        "listed_remote_mcp_server",
        [.text, .timestamptz, .timestamptz, .int8, .timestamptz],
        """
        UPDATE remote_mcp_servers SET listed_at = coalesce($2, listed_at), next_listing_at = $3, failures = $4
        WHERE server_id = $1 AND changed_at = $5 RETURNING server_id
        """
    )

    private static let columns = """
        s.id, s.name, r.url, r.header_names, r.headers, r.trusts_hints, r.changed_at, r.listed_at, r.failures::int8
        FROM remote_mcp_servers r JOIN mcp_servers s ON s.id = r.server_id WHERE s.is_present
        """
}

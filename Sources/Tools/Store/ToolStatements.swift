internal import Persistence

/// SQL of MCP servers and their tools.
enum ToolStatements {
    static let keepServer = Statement(
        "keep_mcp_server",
        [.text, .int8, .text, .text, .text, .text, .text, .text, .bool, .timestamptz],
        """
        INSERT INTO mcp_servers (id, machine_id, scope, project_path, name, transport, state, reason, is_complete,
            is_present, created_at, refreshed_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, true, $10, $10)
        ON CONFLICT (id) DO UPDATE SET transport = EXCLUDED.transport, state = EXCLUDED.state,
            reason = EXCLUDED.reason, is_complete = EXCLUDED.is_complete, is_present = true,
            refreshed_at = EXCLUDED.refreshed_at, failed_at = CASE WHEN EXCLUDED.state = 'failed' THEN
                CASE WHEN mcp_servers.state = 'failed' THEN mcp_servers.failed_at ELSE EXCLUDED.refreshed_at END END
        """
    )

    /// What a call has shown of its server.
    /// The state of a remote server follows from its listings: one that refuses the arguments of a call has answered.
    static let noteServer = Statement(
        "note_mcp_server",
        [.text, .text, .text, .timestamptz],
        """
        UPDATE mcp_servers SET state = $2, reason = $3, failed_at = CASE WHEN $2 = 'failed' THEN $4 END
        WHERE id = (SELECT server_id FROM tool_calls WHERE id = $1) AND (state = 'failed') <> ($2 = 'failed')
            AND machine_id <> 0
        """
    )

    /// Only servers with a known tool count: a server without one has never answered, so it has not begun to fail.
    static let failedServers = Statement(
        "failed_mcp_servers",
        [.timestamptz],
        """
        SELECT s.id, s.name, m.name, s.reason, s.failed_at FROM mcp_servers s JOIN machines m ON m.id = s.machine_id
        WHERE s.is_present AND s.failed_at > $1 AND EXISTS (SELECT FROM mcp_tools t WHERE t.server_id = s.id)
        ORDER BY s.failed_at DESC LIMIT 1000
        """
    )

    /// A server of the whole machine that another one of the same name hides in the directory is still there.
    static let loseServers = Statement(
        "lose_mcp_servers",
        [.int8, .text, .textArray, .textArray],
        """
        UPDATE mcp_servers SET is_present = false
        WHERE machine_id = $1 AND is_present AND NOT id = ANY ($3)
            AND (project_path = $2 OR project_path IS NULL AND NOT name = ANY ($4))
        """
    )

    static let pins = Statement(
        "mcp_tool_pins",
        [.text],
        "SELECT name, digest, offered_digest, is_present FROM mcp_tools WHERE server_id = $1"
    )

    static let pin = Statement(
        "pin_mcp_tool",
        [.text, .text, .text, .text, .timestamptz, .text, .text, .text, .text],
        """
        INSERT INTO mcp_tools (server_id, name, definition, digest, is_present, created_at, search)
        VALUES ($1, $2, $3, $4, true, $5, \(words(from: 6)))
        ON CONFLICT (server_id, name) DO UPDATE SET definition = EXCLUDED.definition, digest = EXCLUDED.digest,
            is_present = true, search = EXCLUDED.search
        WHERE mcp_tools.digest = ''
        """
    )

    static let offer = Statement(
        "offer_mcp_tool",
        [.text, .text, .text, .text, .timestamptz],
        """
        UPDATE mcp_tools SET offered = $3, offered_digest = $4, is_present = true, changed_at = $5
        WHERE server_id = $1 AND name = $2 AND digest NOT IN ($4, '')
        """
    )

    static let settle = Statement(
        "settle_mcp_tool",
        [.text, .text],
        """
        UPDATE mcp_tools SET offered = NULL, offered_digest = NULL, is_present = true
        WHERE server_id = $1 AND name = $2
        """
    )

    static let show = Statement(
        "show_mcp_tool",
        [.text, .text, .bool],
        "UPDATE mcp_tools SET is_present = $3 WHERE server_id = $1 AND name = $2"
    )

    static let accept = Statement(
        "accept_mcp_tool",
        [.text, .text, .text, .text, .timestamptz, .text, .text, .text, .text],
        """
        UPDATE mcp_tools SET definition = offered, digest = offered_digest, offered = NULL, offered_digest = NULL,
            accepted_by = $4, accepted_at = $5, search = \(words(from: 6))
        WHERE server_id = $1 AND name = $2 AND offered_digest = $3
        RETURNING name
        """
    )

    static let servers = Statement(
        "mcp_servers",
        [.int8, .text, .text],
        """
        SELECT s.id, s.machine_id, m.name, s.scope, s.project_path, s.name, s.transport, s.state, s.reason,
            s.is_complete, s.created_at, s.refreshed_at, t.tools, t.changed, r.url, r.header_names, r.trusts_hints,
            r.listed_at, r.next_listing_at
        FROM mcp_servers s JOIN machines m ON m.id = s.machine_id LEFT JOIN remote_mcp_servers r ON r.server_id = s.id
            CROSS JOIN LATERAL (SELECT count(*) AS tools, count(offered) AS changed FROM mcp_tools
                WHERE server_id = s.id AND is_present) t
        WHERE s.is_present AND ($1::int8 IS NULL OR s.machine_id = $1)
            AND ($2::text IS NULL OR s.project_path IS NULL OR s.project_path = $2)
            AND ($3::text IS NULL OR s.id = $3)
        ORDER BY m.name, s.name, s.project_path NULLS FIRST, s.id LIMIT 5000
        """
    )

    static let tools = Statement(
        "mcp_tools",
        [.int8, .text, .text, .int8, .int8],
        """
        SELECT count(*) OVER (), \(toolColumns)
        FROM \(toolTables)
        WHERE s.is_present AND t.is_present AND ($1::int8 IS NULL OR s.machine_id = $1)
            AND ($2::text IS NULL OR s.project_path IS NULL OR s.project_path = $2)
            AND ($3::text IS NULL OR s.id = $3 OR s.name = $3)
        ORDER BY s.name, t.name, m.name, s.id
        LIMIT $4 OFFSET $5
        """
    )

    /// Tools that were found by a search, in its order.
    static let found = Statement(
        "found_mcp_tools",
        [.textArray, .textArray],
        """
        SELECT \(toolColumns)
        FROM unnest($1, $2) WITH ORDINALITY AS f (server_id, name, number)
            JOIN mcp_tools t ON t.server_id = f.server_id AND t.name = f.name
            JOIN mcp_servers s ON s.id = t.server_id JOIN machines m ON m.id = s.machine_id
        WHERE s.is_present AND t.is_present
        ORDER BY f.number
        """
    )

    static let tool = Statement(
        "mcp_tool",
        [.text, .text],
        """
        SELECT \(toolColumns) FROM \(toolTables)
        WHERE s.id = $1 AND t.name = $2 AND s.is_present AND t.is_present
        """
    )

    /// All tools that a name can mean at a place.
    static let named = Statement(
        "named_mcp_tools",
        [.int8, .text, .text],
        """
        SELECT \(toolColumns) FROM \(toolTables)
        WHERE s.is_present AND t.is_present AND ($1::int8 IS NULL OR s.machine_id = $1)
            AND ($2::text IS NULL OR s.project_path IS NULL OR s.project_path = $2)
            AND $3 IN (s.name || '.' || t.name, s.name || '__' || t.name, s.id || '.' || t.name,
                s.id || '__' || t.name)
        LIMIT 100
        """
    )

    static let forget = Statement(
        "forget_mcp_servers",
        [.timestamptz],
        "DELETE FROM mcp_servers s WHERE refreshed_at < $1 AND NOT (machine_id = 0 AND is_present)"
    )

    static let toolTables = """
        mcp_tools t JOIN mcp_servers s ON s.id = t.server_id JOIN machines m ON m.id = s.machine_id
        """

    static let toolColumns = """
        s.id, s.name, s.machine_id, m.name, s.scope, s.project_path, s.state, t.name, t.definition, t.digest,
            t.offered, t.offered_digest, t.created_at, t.changed_at, t.accepted_by, t.accepted_at
        """

    /// The name counts most, then the description, the server's name and the arguments.
    private static func words(from first: Int) -> String {
        zip(first..., ["A", "B", "C", "D"])
            .map { "setweight(to_tsvector('english', $\($0)), '\($1)')" }
            .joined(separator: " || ")
    }
}

internal import EventModel
internal import Persistence

/// SQL of the machine keys.
enum KeyStatements {
    private static let columns = """
        k.id, k.machine_id, m.name, k.prefix, k.created_at, k.last_used_at, k.revoked_at, k.device_id, k.may_approve,
            array_to_string(k.tool_servers, E'\\n')
        """

    static let create = Statement(
        "create_key",
        [.text, .text, .bytea, .int8],
        """
        WITH m AS (
            INSERT INTO machines (name) VALUES ($1)
            ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id, name
        ), k AS (
            INSERT INTO access_keys (machine_id, prefix, sha256, device_id) SELECT id, $2, $3, $4 FROM m
            ON CONFLICT (sha256) DO UPDATE SET prefix = excluded.prefix RETURNING *
        )
        SELECT \(columns) FROM k, m
        """
    )

    static let machine = Statement(
        "machine",
        [.text],
        """
        INSERT INTO machines (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id
        """
    )

    static let list = Statement(
        "list_keys",
        "SELECT \(columns) FROM access_keys k JOIN machines m ON m.id = k.machine_id ORDER BY k.id"
    )

    static let revoke = Statement(
        "revoke_keys",
        [.text],
        """
        WITH revoked AS (
            UPDATE access_keys k SET revoked_at = now() FROM machines m
            WHERE m.id = k.machine_id AND k.revoked_at IS NULL AND (k.id::text = $1 OR m.name = $1)
            RETURNING \(columns)
        )
        SELECT * FROM revoked ORDER BY id
        """
    )

    static let setApproval = Statement(
        "set_approval_of_keys",
        [.text, .bool],
        """
        WITH changed AS (
            UPDATE access_keys k SET may_approve = $2 FROM machines m
            WHERE m.id = k.machine_id AND k.revoked_at IS NULL AND (k.id::text = $1 OR m.name = $1)
            RETURNING \(columns)
        )
        SELECT * FROM changed ORDER BY id
        """
    )

    static let setToolServer = Statement(
        "set_tool_server_of_keys",
        [.text, .text, .bool],
        """
        WITH changed AS (
            UPDATE access_keys k SET tool_servers = array_remove(k.tool_servers, $2)
                || CASE WHEN $3 THEN ARRAY[$2] ELSE '{}' END
            FROM machines m
            WHERE m.id = k.machine_id AND k.revoked_at IS NULL AND (k.id::text = $1 OR m.name = $1)
            RETURNING \(columns)
        )
        SELECT * FROM changed ORDER BY id
        """
    )

    static let active = Statement(
        "active_keys",
        """
        SELECT k.id, k.machine_id, m.name, k.sha256, k.may_approve, array_to_string(k.tool_servers, E'\\n')
        FROM access_keys k JOIN machines m ON m.id = k.machine_id
        WHERE k.revoked_at IS NULL ORDER BY k.id
        """
    )

    static let used = RowColumns<(key: Int64, value: Timestamp)>().column("id", \.key).column("at", \.value)

    static let touch = Statement(
        "touch_keys",
        used.types,
        """
        UPDATE access_keys SET last_used_at = greatest(access_keys.last_used_at, used.at)
        FROM \(used.unnest("used")) WHERE access_keys.id = used.id
        """
    )
}

internal import EventModel
internal import Persistence

/// SQL of the API keys.
enum APIKeyStatements {
    private static let grant = """
        id, name, grants, models, daily_budget, requests_per_minute, expires_at, array_to_string(toolkits, E'\\n'),
            array_to_string(shares, E'\\n')
        """
    private static let columns = grant + ", prefix, created_at, created_by, last_used_at, revoked_at"

    /// Returns no row if a valid key has the name.
    static let create = Statement(
        "create_api_key",
        [.text, .text, .bytea, .text, .text, .float8, .int8, .timestamptz, .text, .textArray, .textArray],
        """
        INSERT INTO api_keys
            (name, prefix, sha256, grants, models, daily_budget, requests_per_minute, expires_at, created_by, toolkits,
                shares)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        ON CONFLICT (sha256) DO UPDATE SET prefix = excluded.prefix RETURNING \(columns)
        """
    )

    static let list = Statement("list_api_keys", "SELECT \(columns) FROM api_keys ORDER BY id")

    static let revoke = Statement(
        "revoke_api_key",
        [.text],
        """
        UPDATE api_keys SET revoked_at = now() WHERE revoked_at IS NULL AND (id::text = $1 OR name = $1)
        RETURNING \(columns)
        """
    )

    static let active = Statement(
        "active_api_keys",
        "SELECT sha256, \(grant) FROM api_keys WHERE revoked_at IS NULL ORDER BY id"
    )

    static let used = RowColumns<(key: Int64, value: Timestamp)>().column("id", \.key).column("at", \.value)

    static let touch = Statement(
        "touch_api_keys",
        used.types,
        """
        UPDATE api_keys SET last_used_at = greatest(api_keys.last_used_at, used.at)
        FROM \(used.unnest("used")) WHERE api_keys.id = used.id
        """
    )
}

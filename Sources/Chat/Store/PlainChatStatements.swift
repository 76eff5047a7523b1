internal import EventModel
internal import Persistence
internal import Sessions

/// SQL of plain chats.
enum PlainChatStatements {
    /// If the server of a chat has not reported a running turn for so many seconds, none runs: the server was killed.
    private static let silentSeconds = 20

    /// `$1` is the time.
    private static let chats = """
        SELECT p.*, m.name AS machine_name, m.reported_name, p.used_at > $1 - interval '\(silentSeconds) seconds'
            AND EXISTS (SELECT FROM chat_turns t WHERE t.chat_id = p.id AND t.outcome IS NULL) AS is_running
        FROM plain_chats p JOIN machines m ON m.id = p.machine_id
        """

    /// The columns of `PlainChat`, and its sums.
    private static let columns = """
        c.id, c.machine_id, c.machine_name, c.is_running, c.began_at, c.used_at, c.reported_name, c.title, c.model,
            c.message_count, u.input, u.output, u.cache_read, u.cache_write, u.cost, u.is_estimate, u.unpriced_model,
            u.unpriced, u.unpriced_cost, c.caller
        """

    private static let sums = """
        SELECT coalesce(sum(greatest(0, coalesce(prompt_tokens, 0)
                - cache_read_tokens - cache_write_5m_tokens - cache_write_1h_tokens)), 0)::bigint AS input,
            coalesce(sum(completion_tokens), 0)::bigint AS output,
            coalesce(sum(cache_read_tokens), 0)::bigint AS cache_read,
            coalesce(sum(cache_write_5m_tokens + cache_write_1h_tokens), 0)::bigint AS cache_write,
            sum(cost) AS cost, coalesce(bool_or(is_estimate = 1), false) AS is_estimate,
            coalesce(max(coalesce(answered_by, model)) FILTER (WHERE is_unpriced = 1), '') AS unpriced_model,
            count(*) FILTER (WHERE is_unpriced = 1) AS unpriced,
            coalesce(sum(cost) FILTER (WHERE is_unpriced = 1), 0)::float8 AS unpriced_cost
        FROM chat_turns t WHERE t.chat_id = c.id AND (prompt_tokens > 0 OR completion_tokens > 0 OR cost > 0)
        """

    private static let read = "SELECT \(columns) FROM (\(chats)) c CROSS JOIN LATERAL (\(sums)) u"

    static let find = Statement("plain_chat", [.timestamptz, .text], "\(read) WHERE c.id = $2")

    static let byHistory = Statement(
        "plain_chat_by_history",
        [.text, .bytea],
        "SELECT id FROM plain_chats WHERE caller = $1 AND history = $2 ORDER BY used_at DESC LIMIT 1"
    )

    static let machineName = Statement("machine_of_chat", [.int8], "SELECT name FROM machines WHERE id = $1")

    // MARK: Lists

    private static let filterTypes: [PGType] = [.timestamptz, .int8, .text, .text, .text, .textArray]

    private static let filter = """
        ($2 IS NULL OR c.machine_id = $2) AND ($3 IS NULL OR c.reported_name = $3)
            AND ($4 IS NULL OR $4 = CASE WHEN c.used_at > $1 - interval '\(Int(Session.quietSeconds)) seconds'
                THEN 'active' ELSE 'idle' END)
            AND ($5 IS NULL OR $5 = CASE WHEN c.is_running THEN 'running' ELSE 'idle' END)
            AND NOT EXISTS (SELECT FROM unnest($6) AS wanted (word)
                WHERE strpos(lower(concat_ws(' ', c.title, c.machine_name, c.reported_name, c.id)), lower(word)) = 0)
        """

    static let count = Statement(
        "count_plain_chats",
        filterTypes,
        "SELECT count(*) FROM (\(chats)) c WHERE \(filter)"
    )

    /// Reads one extra row to find out whether more exist. The last column is the key of `ListCursor`.
    static func page(_ query: SessionQuery) -> Statement {
        let (column, key) = query.order.sorting
        let (direction, comparison) = query.isAscending ? ("ASC", ">") : ("DESC", "<")
        return Statement(
            "plain_chats_\(query.order.rawValue)_\(direction)",
            filterTypes + [.int8, .text, .int8, .int8],
            """
            SELECT \(columns), \(key) FROM (\(chats)) c CROSS JOIN LATERAL (\(sums)) u
            WHERE \(filter) AND ($7 IS NULL OR (\(key), c.id) \(comparison) ($7, $8))
            ORDER BY \(column) \(direction), c.id \(direction) LIMIT $9 OFFSET $10
            """
        )
    }

    // MARK: Texts

    static let countMessages = Statement(
        "count_plain_chat_messages",
        [.text],
        "SELECT count(*) FROM plain_chat_messages WHERE chat_id = $1"
    )

    /// Stops before the lines exceed `$6` bytes in total, but returns at least one. The last column is the number of
    /// rows without that bound.
    static func messages(isDescending: Bool) -> Statement {
        let (direction, comparison) = isDescending ? ("DESC", "<") : ("ASC", ">")
        let order = "ORDER BY at \(direction), id \(direction)"
        return Statement(
            "plain_chat_messages_\(direction)",
            [.text, .timestamptz, .int8, .int8, .int8, .int8],
            """
            SELECT at, id, line, matching FROM (
                SELECT *, sum(octet_length(line)) OVER (\(order)) AS bytes, row_number() OVER (\(order)) AS place,
                    count(*) OVER () AS matching
                FROM (
                    SELECT at, id, line FROM plain_chat_messages
                    WHERE chat_id = $1 AND ($2 IS NULL OR (at, id) \(comparison) ($2, $3))
                    \(order) LIMIT $4 OFFSET $5
                ) AS found
            ) AS measured
            WHERE place = 1 OR bytes <= $6 \(order)
            """
        )
    }

    // MARK: Retention and erasure

    static let forgetMessages = Statement(
        "forget_plain_chat_messages",
        [.timestamptz, .int8],
        """
        DELETE FROM plain_chat_messages WHERE id IN (
            SELECT id FROM plain_chat_messages WHERE at < $1 ORDER BY at LIMIT $2)
        """
    )

    static let forget = Statement(
        "forget_plain_chats",
        [.timestamptz, .int8],
        "DELETE FROM plain_chats WHERE id IN (SELECT id FROM plain_chats WHERE used_at < $1 ORDER BY used_at LIMIT $2)"
    )

    static let forgetHistory = Statement(
        "forget_histories_of_plain_chats",
        [.timestamptz],
        "UPDATE plain_chats SET history = NULL WHERE used_at < $1 AND history IS NOT NULL"
    )

    static let erase = [
        Statement(
            "erase_plain_chats",
            "DELETE FROM plain_chats p USING erased_sessions s WHERE p.id = s.session_id"
        ),
        Statement(
            "erase_turns_of_plain_chats",
            """
            DELETE FROM chat_turns t WHERE t.session_id IS NULL AND (
                t.chat_id IN (SELECT session_id FROM erased_sessions)
                OR t.machine_id IN (SELECT machine_id FROM erased_scope))
            """
        ),
    ]
}

extension SessionQuery.Order {
    /// The column by which rows are sorted, and the same value as a number.
    fileprivate var sorting: (column: String, key: String) {
        func microseconds(_ interval: String) -> String { "(extract(epoch FROM \(interval)) * 1000000)::bigint" }
        switch self {
        case .activity: return ("c.used_at", microseconds("c.used_at"))
        case .started: return ("c.began_at", microseconds("c.began_at"))
        case .duration: return ("c.used_at - c.began_at", microseconds("c.used_at - c.began_at"))
        case .cost:
            let key = "round(least(coalesce(u.cost, 0), 9e12) * 1e6)::bigint"
            return (key, key)
        }
    }
}

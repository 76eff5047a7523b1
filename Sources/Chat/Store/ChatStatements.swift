internal import EventModel
internal import Persistence

/// SQL of the turns of chats.
enum ChatStatements {
    private static let columns = """
        id, digest, began_at, ended_at IS NOT NULL, outcome, model, prompt_tokens, completion_tokens, cost, answer,
            session_id, project_id, chat_id
        """

    /// Adds nothing if the caller has used the idempotency key. The turn of a plain chat is stored with its chat.
    static let begin = Statement(
        "begin_chat_turn",
        [
            .text, .text, .bytea, .text, .int8, .text, .timestamptz, .text, .text, .int8, .float8, .int8, .text, .text,
            .int8, .textArray,
        ],
        """
        WITH turn AS (
            INSERT INTO chat_turns
                (id, caller, digest, idempotency_key, machine_id, model, began_at, session_id, project_id,
                    prompt_tokens, cost, is_unpriced, is_estimate, chat_id)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 1, $13)
            ON CONFLICT DO NOTHING RETURNING id, chat_id, caller, machine_id, model, began_at
        ), chat AS (
            INSERT INTO plain_chats AS p (id, caller, machine_id, model, title, message_count, began_at, used_at)
            SELECT chat_id, caller, machine_id, model, $14, $15, began_at, began_at FROM turn
            WHERE chat_id IS NOT NULL
            ON CONFLICT (id) DO UPDATE SET machine_id = EXCLUDED.machine_id, used_at = EXCLUDED.used_at,
                model = coalesce(EXCLUDED.model, p.model), message_count = p.message_count + 1
        ), texts AS (
            INSERT INTO plain_chat_messages (chat_id, at, line)
            SELECT t.chat_id, t.began_at, l.line FROM turn t, unnest($16) WITH ORDINALITY AS l (line, place)
            WHERE t.chat_id IS NOT NULL ORDER BY l.place
        )
        SELECT id FROM turn
        """
    )

    /// Changes nothing once the end is known.
    static let note = Statement(
        "note_chat_turn",
        [.text, .int8, .float8, .timestamptz],
        """
        WITH turn AS (
            UPDATE chat_turns SET completion_tokens = $2, cost = $3 WHERE id = $1 AND outcome IS NULL
            RETURNING chat_id
        )
        UPDATE plain_chats p SET used_at = greatest(p.used_at, $4) FROM turn t WHERE p.id = t.chat_id
        """
    )

    /// Only the first end of a turn changes the chat.
    static let end = Statement(
        "end_chat_turn",
        [
            .text, .timestamptz, .text, .int8, .int8, .float8, .text, .int8, .int8, .int8, .text, .int8, .int8, .text,
            .timestamptz, .bytea, .text,
        ],
        """
        WITH open AS (
            SELECT chat_id FROM chat_turns WHERE id = $1 AND outcome IS NULL
        ), turn AS (
            UPDATE chat_turns SET ended_at = $2, outcome = $3, prompt_tokens = $4, completion_tokens = $5, cost = $6,
                answer = $7, cache_read_tokens = $8, cache_write_5m_tokens = $9, cache_write_1h_tokens = $10,
                answered_by = $11, is_estimate = $12, is_unpriced = $13, client_id = $14
            WHERE id = $1
        ), chat AS (
            UPDATE plain_chats p SET used_at = greatest(p.used_at, $15), history = coalesce($16, p.history),
                model = coalesce($11, p.model),
                message_count = p.message_count + CASE WHEN $16 IS NULL THEN 0 ELSE 1 END
            FROM open o WHERE p.id = o.chat_id RETURNING p.id
        )
        INSERT INTO plain_chat_messages (chat_id, at, line) SELECT id, $15, $17 FROM chat WHERE $17 IS NOT NULL
        """
    )

    static let byKey = Statement(
        "chat_turn_by_key",
        [.text, .text],
        "SELECT \(columns) FROM chat_turns WHERE caller = $1 AND idempotency_key = $2"
    )

    static let latest = Statement(
        "latest_chat_turn",
        [.text, .bytea, .timestamptz],
        """
        SELECT \(columns) FROM chat_turns WHERE caller = $1 AND digest = $2 AND began_at > $3
        ORDER BY began_at DESC LIMIT 1
        """
    )

    static let spent = Statement(
        "spent_on_chats",
        [.text, .timestamptz],
        "SELECT coalesce(sum(cost), 0)::float8 FROM chat_turns WHERE caller = $1 AND began_at >= $2"
    )

    /// What a repeat would be answered with, and the key.
    static let forgetAnswers = Statement(
        "forget_chat_answers",
        [.timestamptz],
        """
        UPDATE chat_turns SET answer = NULL, idempotency_key = NULL
        WHERE began_at < $1 AND idempotency_key IS NOT NULL
        """
    )

    static let forget = Statement(
        "forget_chat_turns",
        [.timestamptz],
        """
        DELETE FROM chat_turns WHERE began_at < $1 AND (session_id IS NOT NULL
            OR coalesce(prompt_tokens, 0) + coalesce(completion_tokens, 0) = 0 AND coalesce(cost, 0) = 0)
        """
    )

    /// The figures of plain chats stay, as those of sessions do.
    static let forgetDigests = Statement(
        "forget_chat_digests",
        [.timestamptz],
        "UPDATE chat_turns SET digest = '' WHERE began_at < $1 AND session_id IS NULL AND digest <> ''"
    )
}

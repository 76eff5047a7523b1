internal import Persistence

/// SQL of messages to sessions.
enum MessageStatements {
    static let columns = """
        id, session_id, machine_id, client_id, kind, body, author, state, detail, queued_at, delivered_at, ended_at,
        is_command, cancels_queued, image_count
        """

    /// Lets one message at a time be added to a session, so that no two servers pass the limit together.
    static let lockQueue = Statement(
        "lock_message_queue",
        [.text],
        "SELECT pg_advisory_xact_lock(hashtextextended('messages ' || $1, 0))"
    )

    /// Adds nothing if the client's id was used before in the session, or if `$10` messages of the kind, or more than
    /// `$14` pictures, would wait. An interruption queued before `$9` no longer waits.
    static let add = Statement(
        "queue_message",
        [
            .text, .text, .int8, .text, .text, .text, .text, .timestamptz, .timestamptz, .int8, .bool, .bool, .int8,
            .int8,
        ],
        """
        INSERT INTO session_messages (id, session_id, machine_id, client_id, kind, body, author, state, queued_at,
            is_command, cancels_queued, image_count)
        SELECT $1, $2, $3, $4, $5, $6, $7, 'queued', $8, $11, $12, $13
        WHERE (SELECT count(*) FROM session_messages WHERE session_id = $2 AND state = 'queued' AND kind = $5
            AND (kind = 'message' OR queued_at > $9)) < $10
            AND ($13 = 0 OR $13 + (SELECT coalesce(sum(image_count), 0) FROM session_messages
                WHERE session_id = $2 AND state = 'queued') <= $14)
        ON CONFLICT (session_id, client_id) DO NOTHING RETURNING \(columns)
        """
    )

    /// Adds nothing unless the message was added.
    static let addImage = Statement(
        "add_message_image",
        [.text, .int8, .text, .text],
        """
        INSERT INTO message_images (message_id, number, media_type, data)
        SELECT $1, $2, $3, $4 WHERE EXISTS (SELECT FROM session_messages WHERE id = $1)
        """
    )

    static let images = Statement(
        "images_of_message",
        [.text],
        "SELECT media_type, data FROM message_images WHERE message_id = $1 ORDER BY number"
    )

    /// Once the machine has a message, or the message is over, nobody reads its pictures.
    static let trimImages = Statement(
        "trim_message_images",
        """
        DELETE FROM message_images i USING session_messages m WHERE m.id = i.message_id AND m.state <> 'queued'
        """
    )

    static let byClientID = Statement(
        "message_by_client_id",
        [.text, .text],
        "SELECT \(columns) FROM session_messages WHERE session_id = $1 AND client_id = $2"
    )

    static let byID = Statement(
        "message_by_id",
        [.text],
        "SELECT \(columns) FROM session_messages WHERE id = $1"
    )

    static let list = Statement(
        "messages_of_session",
        [.text],
        """
        SELECT \(columns) FROM
            (SELECT * FROM session_messages WHERE session_id = $1 ORDER BY position DESC LIMIT 200) newest
        ORDER BY position
        """
    )

    /// The next for the machine: an interruption, or the first message, unless one delivered after `$4` has not been
    /// read. An interruption whose turn has ended no longer matters after `$5`. Without `$6`, commands and messages
    /// with pictures wait: what is no agent would write only their texts into the session.
    static let offer = Statement(
        "offer_message",
        [.text, .int8, .timestamptz, .timestamptz, .timestamptz, .bool],
        """
        UPDATE session_messages SET offered_at = $3 WHERE id = (
            SELECT id FROM session_messages m
            WHERE session_id = $1 AND machine_id = $2 AND state = 'queued'
                AND ($6 OR NOT is_command AND image_count = 0)
                AND (kind = 'interrupt' AND queued_at > $5 OR kind = 'message' AND NOT EXISTS (
                    SELECT 1 FROM session_messages d WHERE d.session_id = $1 AND d.kind = 'message'
                        AND d.state = 'delivered' AND d.delivered_at > $4
                ))
            ORDER BY kind = 'interrupt' DESC, position LIMIT 1
        ) RETURNING \(columns)
        """
    )

    /// `$4`: the states that the message may have.
    static let settle = Statement(
        "settle_message",
        [.text, .int8, .text, .textArray, .timestamptz, .text],
        """
        UPDATE session_messages SET state = $3, detail = $6,
            delivered_at = CASE $3 WHEN 'delivered' THEN $5 WHEN 'read' THEN coalesce(delivered_at, $5)
                ELSE delivered_at END,
            ended_at = CASE WHEN $3 = 'delivered' THEN NULL ELSE $5 END
        WHERE id = $1 AND machine_id = $2 AND state = ANY ($4) RETURNING \(columns)
        """
    )

    /// A message that was offered after `$3` may be in the session already.
    static let cancel = Statement(
        "cancel_message",
        [.text, .text, .timestamptz, .timestamptz],
        """
        UPDATE session_messages SET state = 'cancelled', ended_at = $4
        WHERE id = $1 AND session_id = $2 AND state = 'queued' AND (offered_at IS NULL OR offered_at < $3)
        RETURNING \(columns)
        """
    )

    /// Those of the session that can be cancelled as `cancel` does.
    static let cancelQueued = Statement(
        "cancel_queued_messages",
        [.text, .timestamptz, .timestamptz],
        """
        UPDATE session_messages SET state = 'cancelled', ended_at = $3
        WHERE session_id = $1 AND kind = 'message' AND state = 'queued' AND (offered_at IS NULL OR offered_at < $2)
        RETURNING \(columns)
        """
    )

    static let cancelledSince = Statement(
        "messages_cancelled_since",
        [.text, .timestamptz],
        """
        SELECT id FROM session_messages WHERE session_id = $1 AND state = 'cancelled' AND ended_at >= $2
        ORDER BY position
        """
    )

    static let unread = Statement(
        "delivered_messages",
        [.text, .timestamptz],
        """
        SELECT \(columns) FROM session_messages
        WHERE session_id = $1 AND state IN ('queued', 'delivered') AND kind = 'message' AND offered_at <= $2
        ORDER BY position
        """
    )

    static let sessionsWithUnread = Statement(
        "sessions_with_unread_messages",
        "SELECT DISTINCT session_id FROM session_messages WHERE state IN ('queued', 'delivered')"
    )

    static let abandon = Statement(
        "abandon_messages",
        [.text, .timestamptz, .text, .text],
        """
        UPDATE session_messages SET state = 'failed', detail = $3, ended_at = $2
        WHERE session_id = $1 AND state = 'queued' AND ($4 IS NULL OR kind = $4) RETURNING \(columns)
        """
    )

    /// Adds nothing if the machine has no session of that id.
    static let poster = Statement(
        "note_poster",
        [.text, .int8, .bool, .timestamptz],
        """
        INSERT INTO session_posters (session_id, machine_id, has_socket, seen_at)
        SELECT session_id, machine_id, $3, $4 FROM session_owners WHERE session_id = $1 AND machine_id = $2
        ON CONFLICT (session_id, machine_id) DO UPDATE SET (has_socket, seen_at)
            = (excluded.has_socket, excluded.seen_at)
        RETURNING xmax = 0
        """
    )

    /// Deletes all but the `$2` rows of the machine that were seen last.
    static let trimPostersOfMachine = Statement(
        "trim_posters_of_machine",
        [.int8, .int8],
        """
        DELETE FROM session_posters WHERE machine_id = $1 AND seen_at < (
            SELECT seen_at FROM session_posters WHERE machine_id = $1 ORDER BY seen_at DESC OFFSET $2 - 1 LIMIT 1)
        """
    )

    static let trimPosters = Statement(
        "trim_posters",
        [.timestamptz],
        "DELETE FROM session_posters WHERE seen_at < $1"
    )

    static let posterOf = Statement(
        "poster_of_session",
        [.text, .int8],
        "SELECT has_socket FROM session_posters WHERE session_id = $1 AND machine_id = $2"
    )

    static let posters = Statement(
        "posters_of_sessions",
        [.textArray, .int8Array],
        """
        SELECT session_id, has_socket FROM session_posters
        WHERE (session_id, machine_id) IN (SELECT * FROM unnest($1, $2))
        """
    )

    static let trim = Statement(
        "trim_messages",
        [.timestamptz],
        "DELETE FROM session_messages WHERE queued_at < $1"
    )

    /// Deletes the bodies of messages that ended before `$1`. The log's events hold what the content policy keeps.
    static let trimBodies = Statement(
        "trim_message_bodies",
        [.timestamptz],
        "UPDATE session_messages SET body = NULL WHERE body IS NOT NULL AND ended_at < $1"
    )
}

internal import Audit
internal import Persistence

/// SQL of held prompts and their answers.
enum AnswerStatements {
    /// `$1`: the id that the prompt has if the hook's own event opened it. `$2`: the machine.
    static let held = Statement(
        "held_prompt",
        [.text, .int8],
        """
        SELECT id, prompt FROM prompts WHERE machine_id = $2 AND (id = $1 OR request_id = $1)
        """
    )

    /// The newest prompt of a call. `$1`: the session. `$2`: the machine. `$3`: Claude's id of the call.
    static let ofCall = Statement(
        "prompt_of_call",
        [.text, .int8, .text],
        """
        SELECT prompt FROM (
            SELECT prompt, opened_at FROM prompts WHERE session_id = $1 AND machine_id = $2
            ORDER BY opened_at DESC, id DESC LIMIT 100) p
        WHERE p.prompt::jsonb ->> 'call' = $3 ORDER BY opened_at DESC LIMIT 1
        """
    )

    /// An erasure keeps the rows of `event_ids`; retention deletes them.
    static let erasedRequests = Statement(
        "erased_requests",
        [.textArray],
        """
        SELECT w.id FROM unnest($1) AS w (id) JOIN event_ids i ON i.event_id = right(w.id, 32)::uuid
        WHERE NOT EXISTS (SELECT FROM events e WHERE (e.received_at, e.seq) = (i.received_at, i.seq))
        """
    )

    /// Returns whether the hold is new.
    static let hold = Statement(
        "hold_prompt",
        [.int8, .text, .text, .text, .timestamptz, .timestamptz, .text],
        """
        INSERT INTO prompt_holds (machine_id, hold_id, prompt_id, session_id, held_until, touched_at, policy)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (machine_id, hold_id) DO UPDATE SET (prompt_id, session_id, held_until, touched_at, policy)
            = (excluded.prompt_id, excluded.session_id, excluded.held_until, excluded.touched_at, excluded.policy)
        RETURNING xmax = 0
        """
    )

    static let isHoldTouched = Statement(
        "is_hold_touched",
        [.int8, .text, .timestamptz],
        "SELECT EXISTS (SELECT FROM prompt_holds WHERE machine_id = $1 AND hold_id = $2 AND touched_at > $3)"
    )

    static let endHold = Statement(
        "end_hold",
        [.int8, .text],
        "DELETE FROM prompt_holds WHERE machine_id = $1 AND hold_id = $2"
    )

    /// `$3`: now.
    static let closeHold = Statement(
        "close_hold",
        [.int8, .text, .timestamptz],
        """
        UPDATE prompt_holds SET held_until = least(held_until, $3) WHERE machine_id = $1 AND hold_id = $2
        RETURNING prompt_id
        """
    )

    /// Selects the holds that have expired at `$1`, the holds whose hooks have not asked since `$2`, and the holds of
    /// the machines `$3` with the ids `$4`.
    static let lostHolds = Statement(
        "lost_holds",
        [.timestamptz, .timestamptz, .int8Array, .textArray],
        """
        SELECT machine_id, hold_id, prompt_id, touched_at FROM prompt_holds
        WHERE held_until <= $1 OR touched_at <= $2
            OR (machine_id, hold_id) IN (SELECT * FROM unnest($3::bigint[], $4::text[]))
        """
    )

    /// Does nothing if the hold's hook has asked again since the hold was read.
    static let dropLostHold = Statement(
        "drop_lost_hold",
        [.int8, .text, .timestamptz],
        "DELETE FROM prompt_holds WHERE machine_id = $1 AND hold_id = $2 AND touched_at = $3"
    )

    static let dropHolds = Statement(
        "drop_holds",
        [.textArray],
        "DELETE FROM prompt_holds WHERE prompt_id = ANY ($1)"
    )

    /// `$2`: now. `$3`: a hold last touched before this time is lost.
    static let holds = Statement(
        "prompt_holds",
        [.textArray, .timestamptz, .timestamptz],
        """
        SELECT DISTINCT ON (prompt_id) prompt_id, held_until, policy FROM prompt_holds
        WHERE prompt_id = ANY ($1) AND held_until > $2 AND touched_at > $3
        ORDER BY prompt_id, held_until DESC
        """
    )

    /// Keeps the body that a device sent under the id of its answer. Returns the answer that has the id: a repeated
    /// request changes nothing. Returns no row if the device `$9` may not answer on the machine: another server may
    /// have revoked it. A revocation at the same time waits for this statement, or is seen by it. `$9` is NULL for the
    /// operator.
    static let keepAnswer = Statement(
        "keep_answer",
        [.text, .text, .text, .text, .int8, .text, .text, .timestamptz, .int8],
        """
        WITH allowed AS MATERIALIZED (
            SELECT d.id FROM devices d JOIN device_grants g ON g.device_id = d.id AND g.capability = 'respond'
            WHERE d.id = $9 AND d.revoked_at IS NULL AND (g.machines IS NULL OR $5 = ANY (g.machines))
                AND EXISTS (SELECT FROM refresh_families f WHERE f.device_id = d.id AND f.revoked_at IS NULL)
            FOR SHARE OF d, g
        )
        INSERT INTO prompt_answers AS a
            (prompt_id, answer_id, answered_by, session_id, machine_id, answer, body, answered_at)
        SELECT $1, $2, $3, $4, $5, $6, $7, $8 WHERE $9 IS NULL OR EXISTS (SELECT FROM allowed)
        ON CONFLICT (prompt_id, answer_id, answered_by) DO UPDATE SET answer = a.answer
        RETURNING answer, xmax = 0
        """
    )

    static let answerBody = Statement(
        "answer_body",
        [.text, .text, .text],
        "SELECT body FROM prompt_answers WHERE (prompt_id, answer_id, answered_by) = ($1, $2, $3)"
    )

    static let delivered = Statement(
        "answer_delivered",
        [.text, .text, .text, .timestamptz],
        """
        UPDATE prompt_answers SET delivered_at = $4 WHERE (prompt_id, answer_id, answered_by) = ($1, $2, $3)
        """
    )

    static let closed = Statement(
        "closed_prompts",
        [.textArray],
        "SELECT prompt FROM prompts WHERE id = ANY ($1) AND state <> 'open'"
    )

    /// First answers, given between `$1` and `$2`, that are neither applied nor late.
    static let unapplied = Statement(
        "unapplied_answers",
        [.timestamptz, .timestamptz],
        """
        SELECT count(*), min(a.answered_at) FROM prompt_answers a JOIN prompts p ON p.id = a.prompt_id
        WHERE a.answered_at BETWEEN $1 AND $2 AND p.phase < 3 AND p.prompt::json #>> '{answer,id}' = a.answer_id
        """
    )

    /// Prompts whose hooks received, between `$2` and `$3`, a refusal that ends the turn, and whose effect no event
    /// shows yet. Excludes answers from before `$1`.
    static let interruptions = Statement(
        "taken_interruptions",
        [.timestamptz, .timestamptz, .timestamptz],
        """
        SELECT a.prompt_id FROM prompt_answers a JOIN prompts p ON p.id = a.prompt_id
        WHERE a.body IS NOT NULL AND a.answered_at > $1 AND a.delivered_at BETWEEN $2 AND $3 AND p.phase < 3
            AND a.answer::json ->> 'decision' = 'deny' AND a.body::json ->> 'interrupt' = 'true'
        """
    )

    static let payloads = Statement(
        "prompt_payloads",
        [.int8Array],
        "SELECT seq, payload FROM events WHERE seq = ANY ($1)"
    )

    /// The body is kept while the hook may ask for it again.
    static let trimBodies = Statement(
        "trim_answer_bodies",
        [.timestamptz, .timestamptz],
        """
        UPDATE prompt_answers SET body = NULL
        WHERE body IS NOT NULL AND (answered_at < $1 OR delivered_at < $2)
        """
    )

    static let trimAnswers = Statement(
        "trim_answers",
        [.timestamptz],
        "DELETE FROM prompt_answers WHERE answered_at < $1"
    )

    static let trimHolds = Statement(
        "trim_holds",
        [.timestamptz],
        "DELETE FROM prompt_holds WHERE held_until < $1 OR touched_at < $1"
    )
}

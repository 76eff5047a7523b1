ALTER TABLE prompts
    ADD COLUMN request_id text,
    ADD COLUMN phase bigint NOT NULL DEFAULT 0,
    ADD COLUMN announced bigint NOT NULL DEFAULT 0;

CREATE INDEX prompts_of_request ON prompts (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX unannounced_prompts ON prompts (opened_at) WHERE announced < phase;

COMMENT ON COLUMN prompts.request_id IS 'The id that the prompt would have if its permission request had opened it; NULL if it did.';
COMMENT ON COLUMN prompts.phase IS '1 while it is open, 2 when it is closed, 3 when it is known whether a device''s answer was applied.';
COMMENT ON COLUMN prompts.announced IS 'The last phase that an event of the log tells.';

CREATE TABLE prompt_holds (
    machine_id bigint NOT NULL REFERENCES machines (id),
    hold_id text NOT NULL,
    prompt_id text NOT NULL,
    session_id text,
    held_until timestamptz NOT NULL,
    touched_at timestamptz NOT NULL,
    policy text NOT NULL,
    PRIMARY KEY (machine_id, hold_id)
);

CREATE INDEX prompt_holds_of_prompt ON prompt_holds (prompt_id);

COMMENT ON TABLE prompt_holds IS 'Hooks that wait for an answer. What is asked is in the memory of the server that the hook is connected to.';
COMMENT ON COLUMN prompt_holds.machine_id IS 'The machine of the hook.';
COMMENT ON COLUMN prompt_holds.hold_id IS 'The UUID that the hook chose.';
COMMENT ON COLUMN prompt_holds.prompt_id IS 'What it waits for.';
COMMENT ON COLUMN prompt_holds.session_id IS 'The session that asks.';
COMMENT ON COLUMN prompt_holds.held_until IS 'When the hook stops waiting.';
COMMENT ON COLUMN prompt_holds.touched_at IS 'When a poll of the hook last began or ended.';
COMMENT ON COLUMN prompt_holds.policy IS 'What the machine''s own file allows, as words key=value.';

CREATE TABLE prompt_answers (
    prompt_id text PRIMARY KEY,
    answer_id text NOT NULL,
    session_id text NOT NULL,
    machine_id bigint NOT NULL,
    answer text NOT NULL,
    body text,
    answered_at timestamptz NOT NULL,
    is_logged boolean NOT NULL DEFAULT false,
    delivered_at timestamptz
);

CREATE INDEX unlogged_answers ON prompt_answers (answered_at) WHERE NOT is_logged;
CREATE INDEX prompt_answers_with_body ON prompt_answers (answered_at) WHERE body IS NOT NULL;

COMMENT ON TABLE prompt_answers IS 'The answer of a device or the operator to each prompt. The first one makes the row.';
COMMENT ON COLUMN prompt_answers.prompt_id IS 'What it answers.';
COMMENT ON COLUMN prompt_answers.answer_id IS 'The id that the client gave it; a repeated request has the same.';
COMMENT ON COLUMN prompt_answers.session_id IS 'The session that asks.';
COMMENT ON COLUMN prompt_answers.machine_id IS 'The machine of the session.';
COMMENT ON COLUMN prompt_answers.answer IS 'Who decided what and when, as JSON.';
COMMENT ON COLUMN prompt_answers.body IS 'What the client sent, as JSON, from which the output of the hook is composed; NULL when it is no longer needed.';
COMMENT ON COLUMN prompt_answers.answered_at IS 'When it was given.';
COMMENT ON COLUMN prompt_answers.is_logged IS 'Whether the log has an event of it.';
COMMENT ON COLUMN prompt_answers.delivered_at IS 'When it was last sent to the hook.';

-- Where events are stored already, the server folds them again: its version of the projection is a later one.
UPDATE projections SET version = 3 WHERE name = 'sessions' AND seq = 0;

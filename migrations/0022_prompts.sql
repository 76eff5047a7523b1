CREATE TABLE prompts (
    id text PRIMARY KEY,
    session_id text NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    machine_id bigint NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    opened_at timestamptz NOT NULL,
    prompt text NOT NULL
) WITH (fillfactor = 80);

CREATE INDEX prompts_by_time ON prompts (opened_at DESC, id DESC);
CREATE INDEX prompts_of_session ON prompts (session_id, opened_at DESC, id DESC);
CREATE INDEX open_prompts ON prompts (opened_at DESC, id DESC) WHERE state = 'open';

COMMENT ON TABLE prompts IS 'What sessions ask of a person: one row for each prompt, from its opening to its end. Written by the projection ''sessions''.';
COMMENT ON COLUMN prompts.id IS 'prm_ and the opening event''s id as 32 hexadecimal digits.';
COMMENT ON COLUMN prompts.session_id IS 'The session that asks.';
COMMENT ON COLUMN prompts.machine_id IS 'The machine of the opening event.';
COMMENT ON COLUMN prompts.kind IS 'permission, question, plan, elicitation or input.';
COMMENT ON COLUMN prompts.state IS 'open, answered, overtaken, expired or gone.';
COMMENT ON COLUMN prompts.opened_at IS 'When it was opened, by the machine''s clock.';
COMMENT ON COLUMN prompts.prompt IS 'The whole prompt as JSON.';

-- Where events are stored already, the server folds them again: its version of the projection is a later one.
UPDATE projections SET version = 2 WHERE name = 'sessions' AND seq = 0;

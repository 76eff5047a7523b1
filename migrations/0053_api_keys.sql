CREATE TABLE api_keys (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    prefix text NOT NULL,
    sha256 bytea NOT NULL UNIQUE CHECK (length(sha256) = 32),
    grants text NOT NULL,
    models text,
    daily_budget double precision,
    requests_per_minute bigint,
    expires_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by text NOT NULL,
    last_used_at timestamptz,
    revoked_at timestamptz
);

CREATE UNIQUE INDEX api_keys_by_name ON api_keys (name) WHERE revoked_at IS NULL;

COMMENT ON TABLE api_keys IS 'The keys of programs.';
COMMENT ON COLUMN api_keys.id IS 'Names the key in the audit log.';
COMMENT ON COLUMN api_keys.name IS 'The operator''s word for the program. No two valid keys have the same.';
COMMENT ON COLUMN api_keys.prefix IS 'The first characters of the key, by which a person recognizes it.';
COMMENT ON COLUMN api_keys.sha256 IS 'SHA-256 of the whole key, which is not stored.';
COMMENT ON COLUMN api_keys.grants IS 'Capabilities as words, with the numbers of the machines that each covers: ''read chat:3,7''. Without numbers: all machines.';
COMMENT ON COLUMN api_keys.models IS 'The models that requests may name, with spaces between; NULL: any.';
COMMENT ON COLUMN api_keys.daily_budget IS 'US dollars that the key may spend in a day; NULL: any sum.';
COMMENT ON COLUMN api_keys.requests_per_minute IS 'The key''s own rate limit; NULL: that of all credentials.';
COMMENT ON COLUMN api_keys.expires_at IS 'The time from which the key is refused; NULL: never.';
COMMENT ON COLUMN api_keys.created_at IS 'When the key was made.';
COMMENT ON COLUMN api_keys.created_by IS 'Who made the key, as the audit log names principals.';
COMMENT ON COLUMN api_keys.last_used_at IS 'About when the key was last accepted.';
COMMENT ON COLUMN api_keys.revoked_at IS 'When the key was revoked; NULL while it is valid.';

CREATE TABLE chat_turns (
    id text PRIMARY KEY,
    caller text NOT NULL,
    digest bytea NOT NULL,
    idempotency_key text,
    machine_id bigint NOT NULL,
    model text,
    began_at timestamptz NOT NULL,
    ended_at timestamptz,
    outcome text,
    prompt_tokens bigint,
    completion_tokens bigint,
    cost double precision,
    answer text
);

CREATE INDEX chat_turns_of_caller ON chat_turns (caller, began_at);
CREATE UNIQUE INDEX chat_turns_by_key ON chat_turns (caller, idempotency_key) WHERE idempotency_key IS NOT NULL;

COMMENT ON TABLE chat_turns IS 'Turns of plain chats: written before the machine is asked, so that no turn runs twice.';
COMMENT ON COLUMN chat_turns.id IS 'A UUID, which the machine''s agent also knows.';
COMMENT ON COLUMN chat_turns.caller IS 'Who asked, as the audit log names principals.';
COMMENT ON COLUMN chat_turns.digest IS 'SHA-256 of the request''s body.';
COMMENT ON COLUMN chat_turns.idempotency_key IS 'The header of that name; NULL if there was none.';
COMMENT ON COLUMN chat_turns.machine_id IS 'The machine that answers.';
COMMENT ON COLUMN chat_turns.model IS 'The model that the request names.';
COMMENT ON COLUMN chat_turns.began_at IS 'When the request was taken.';
COMMENT ON COLUMN chat_turns.ended_at IS 'When the outcome was known; NULL while it is not.';
COMMENT ON COLUMN chat_turns.outcome IS 'Why the turn ended: OpenAI''s finish_reason, or the code of an error.';
COMMENT ON COLUMN chat_turns.prompt_tokens IS 'Tokens that the model read.';
COMMENT ON COLUMN chat_turns.completion_tokens IS 'Tokens that the model wrote.';
COMMENT ON COLUMN chat_turns.cost IS 'US dollars, by Claude Code''s own price list; NULL if unknown.';
COMMENT ON COLUMN chat_turns.answer IS 'The text of the answer, kept for a day, for a repeat of a request with an idempotency key.';

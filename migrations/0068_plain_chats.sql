CREATE TABLE plain_chats (
    id text PRIMARY KEY,
    caller text NOT NULL,
    machine_id bigint NOT NULL,
    model text,
    title text,
    history bytea,
    message_count bigint NOT NULL,
    began_at timestamptz NOT NULL,
    used_at timestamptz NOT NULL
);

CREATE INDEX plain_chats_by_use ON plain_chats (used_at, id);
CREATE INDEX plain_chats_by_history ON plain_chats (caller, history) WHERE history IS NOT NULL;
CREATE INDEX plain_chats_with_history ON plain_chats (used_at) WHERE history IS NOT NULL;

COMMENT ON TABLE plain_chats IS 'Plain chats as sessions: records of what was asked and answered, not of processes.';
COMMENT ON COLUMN plain_chats.id IS 'The id of the session.';
COMMENT ON COLUMN plain_chats.caller IS 'Who chats, as the audit log names principals. Nobody else goes on with the chat or ends its turns.';
COMMENT ON COLUMN plain_chats.machine_id IS 'The machine that answered last.';
COMMENT ON COLUMN plain_chats.model IS 'The model that the latest request named, or the one that answered it.';
COMMENT ON COLUMN plain_chats.title IS 'The first line of the first message; NULL if texts are not kept.';
COMMENT ON COLUMN plain_chats.history IS 'SHA-256 of all messages with the last answer, by which the next request is known; NULL before the first answer, and once no request can come any more.';
COMMENT ON COLUMN plain_chats.message_count IS 'The number of messages of both sides.';
COMMENT ON COLUMN plain_chats.began_at IS 'When the first request was taken.';
COMMENT ON COLUMN plain_chats.used_at IS 'When a turn last began or ended. While a turn runs, it is not older than some seconds.';

CREATE TABLE plain_chat_messages (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    chat_id text NOT NULL REFERENCES plain_chats (id) ON DELETE CASCADE,
    at timestamptz NOT NULL,
    line text NOT NULL
);

CREATE INDEX plain_chat_messages_of_chat ON plain_chat_messages (chat_id, at, id);
CREATE INDEX plain_chat_messages_by_time ON plain_chat_messages (at);

COMMENT ON TABLE plain_chat_messages IS 'The texts of plain chats. Rows are added under the content policy full only.';
COMMENT ON COLUMN plain_chat_messages.id IS 'The order of the messages of a turn.';
COMMENT ON COLUMN plain_chat_messages.chat_id IS 'The chat.';
COMMENT ON COLUMN plain_chat_messages.at IS 'When the request was taken, or the answer was whole.';
COMMENT ON COLUMN plain_chat_messages.line IS 'The message as a line of a transcript: a JSON object.';

ALTER TABLE chat_turns ADD COLUMN chat_id text, ADD COLUMN client_id text;

COMMENT ON COLUMN chat_turns.chat_id IS 'The plain chat of the turn; NULL for a project chat.';
COMMENT ON COLUMN chat_turns.client_id IS 'The session id that the process of Claude Code has, under which its telemetry would come; NULL if the machine has not reported it.';

-- Each turn was a chat of its own.
UPDATE chat_turns SET chat_id = id WHERE session_id IS NULL;
INSERT INTO plain_chats (id, caller, machine_id, model, message_count, began_at, used_at)
SELECT id, caller, machine_id, coalesce(answered_by, model), 1, began_at, coalesce(ended_at, began_at)
FROM chat_turns WHERE session_id IS NULL;

CREATE INDEX chat_turns_of_plain_chat ON chat_turns (chat_id) WHERE chat_id IS NOT NULL;

CREATE OR REPLACE VIEW usage_of_chats AS
SELECT ''::text AS session_id, machine_id, NULL::text AS workspace_id, caller, coalesce(answered_by, model) AS model,
    'chat'::text AS query_source, began_at AS at,
    greatest(0, coalesce(prompt_tokens, 0) - cache_read_tokens - cache_write_5m_tokens - cache_write_1h_tokens) AS input_tokens,
    coalesce(completion_tokens, 0) AS output_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
    coalesce(cost, 0) AS cost, is_estimate, is_unpriced, 4::bigint AS sources, NULL::double precision AS otel_cost,
    NULL::double precision AS transcript_cost, 1::smallint AS is_first
FROM chat_turns t
WHERE session_id IS NULL AND (prompt_tokens > 0 OR completion_tokens > 0 OR cost > 0)
    -- Claude Code itself reported the requests of this chat by telemetry.
    AND NOT EXISTS (SELECT FROM usage_requests u WHERE u.session_id = coalesce(t.client_id, t.id));

ALTER TABLE chat_turns
    ADD COLUMN cache_read_tokens bigint NOT NULL DEFAULT 0,
    ADD COLUMN cache_write_5m_tokens bigint NOT NULL DEFAULT 0,
    ADD COLUMN cache_write_1h_tokens bigint NOT NULL DEFAULT 0,
    ADD COLUMN answered_by text,
    ADD COLUMN is_estimate bigint NOT NULL DEFAULT 0,
    ADD COLUMN is_unpriced bigint NOT NULL DEFAULT 0;

CREATE INDEX chat_turns_of_plain_chats ON chat_turns (began_at) WHERE session_id IS NULL;
CREATE INDEX chat_turns_with_digest ON chat_turns (began_at) WHERE session_id IS NULL AND digest <> '';

COMMENT ON COLUMN chat_turns.prompt_tokens IS 'Tokens that the model read; NULL if the turn was refused before it ran.';
COMMENT ON COLUMN chat_turns.digest IS 'SHA-256 of the request''s body; empty once no repeat can come any more.';
COMMENT ON COLUMN chat_turns.cache_read_tokens IS 'The part of prompt_tokens that was read from the prompt cache.';
COMMENT ON COLUMN chat_turns.cache_write_5m_tokens IS 'The part of prompt_tokens that was written to the cache of five minutes.';
COMMENT ON COLUMN chat_turns.cache_write_1h_tokens IS 'The part of prompt_tokens that was written to the cache of an hour.';
COMMENT ON COLUMN chat_turns.answered_by IS 'The model that answered, as the machine reports it.';
COMMENT ON COLUMN chat_turns.is_estimate IS '1 while the machine has not reported the tokens and the cost, which are then estimated from the texts.';
COMMENT ON COLUMN chat_turns.is_unpriced IS '1 where the price list does not know the model.';

CREATE VIEW usage_of_chats AS
SELECT ''::text AS session_id, machine_id, NULL::text AS workspace_id, caller, coalesce(answered_by, model) AS model,
    'chat'::text AS query_source, began_at AS at,
    greatest(0, coalesce(prompt_tokens, 0) - cache_read_tokens - cache_write_5m_tokens - cache_write_1h_tokens) AS input_tokens,
    coalesce(completion_tokens, 0) AS output_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
    coalesce(cost, 0) AS cost, is_estimate, is_unpriced, 4::bigint AS sources, NULL::double precision AS otel_cost,
    NULL::double precision AS transcript_cost, 1::smallint AS is_first
FROM chat_turns t
WHERE session_id IS NULL AND (prompt_tokens > 0 OR completion_tokens > 0 OR cost > 0)
    -- Claude Code itself reported the requests of this chat by telemetry, under the turn's id.
    AND NOT EXISTS (SELECT FROM usage_requests u WHERE u.session_id = t.id);

COMMENT ON VIEW usage_of_chats IS 'The turns of plain chats that used tokens, with the columns of usage_counted. The turns of project chats are requests of their sessions.';

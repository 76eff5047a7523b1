CREATE TABLE usage_requests (
    key text PRIMARY KEY,
    session_id text NOT NULL,
    machine_id bigint NOT NULL,
    workspace_id text,
    request_id text,
    message_id text,
    model text,
    query_source text,
    turn_id text,
    agent_id text,
    at timestamptz NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cache_read_tokens bigint NOT NULL,
    cache_write_5m_tokens bigint NOT NULL,
    cache_write_1h_tokens bigint NOT NULL,
    cost double precision NOT NULL,
    is_estimate bigint NOT NULL,
    sources bigint NOT NULL,
    rank bigint NOT NULL,
    otel_cost double precision,
    transcript_cost double precision,
    first_seq bigint NOT NULL
) WITH (fillfactor = 85);

CREATE INDEX usage_requests_of_session ON usage_requests (session_id, at);
CREATE INDEX usage_requests_by_time ON usage_requests (at);
CREATE INDEX usage_requests_unnamed ON usage_requests (session_id) WHERE sources = 1 AND request_id IS NULL;

COMMENT ON TABLE usage_requests IS 'One row for each request to the model, from telemetry and transcripts. Written by the projection ''usage''.';
COMMENT ON COLUMN usage_requests.key IS 'r: and the request id, or m: with session and message id, or e: and the id of the event that reports it.';
COMMENT ON COLUMN usage_requests.session_id IS 'The session; empty where the source names none.';
COMMENT ON COLUMN usage_requests.machine_id IS 'The machine that reported it.';
COMMENT ON COLUMN usage_requests.workspace_id IS 'The session''s project directory, as far as it was known.';
COMMENT ON COLUMN usage_requests.request_id IS 'The API''s id of the request.';
COMMENT ON COLUMN usage_requests.message_id IS 'The API''s id of the answer.';
COMMENT ON COLUMN usage_requests.model IS 'The model that answered.';
COMMENT ON COLUMN usage_requests.query_source IS 'What the request was for, in the source''s words.';
COMMENT ON COLUMN usage_requests.turn_id IS 'Claude''s id of the turn.';
COMMENT ON COLUMN usage_requests.agent_id IS 'The subagent that asked; NULL for the main agent.';
COMMENT ON COLUMN usage_requests.at IS 'When it ended, by the machine''s clock.';
COMMENT ON COLUMN usage_requests.input_tokens IS 'Tokens read at the full rate.';
COMMENT ON COLUMN usage_requests.output_tokens IS 'Tokens written by the model.';
COMMENT ON COLUMN usage_requests.cache_read_tokens IS 'Tokens read from the prompt cache.';
COMMENT ON COLUMN usage_requests.cache_write_5m_tokens IS 'Tokens written to the cache of five minutes.';
COMMENT ON COLUMN usage_requests.cache_write_1h_tokens IS 'Tokens written to the cache of an hour.';
COMMENT ON COLUMN usage_requests.cost IS 'US dollars: as telemetry states them, else by the price list.';
COMMENT ON COLUMN usage_requests.is_estimate IS '1 where the price list does not know the model.';
COMMENT ON COLUMN usage_requests.sources IS 'Sum of 1 for telemetry and 2 for a transcript.';
COMMENT ON COLUMN usage_requests.rank IS 'Of the reading whose figures the row shows: the highest wins, whatever the order of arrival.';
COMMENT ON COLUMN usage_requests.otel_cost IS 'US dollars by telemetry.';
COMMENT ON COLUMN usage_requests.transcript_cost IS 'US dollars by the transcript''s tokens and the price list.';
COMMENT ON COLUMN usage_requests.first_seq IS 'The first event that reported it.';

CREATE TABLE usage_sessions (
    session_id text PRIMARY KEY,
    machine_id bigint NOT NULL,
    cost double precision NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cache_read_tokens bigint NOT NULL,
    cache_write_5m_tokens bigint NOT NULL,
    cache_write_1h_tokens bigint NOT NULL,
    until timestamptz,
    first_seq bigint NOT NULL
);

COMMENT ON TABLE usage_sessions IS 'What the client itself says a session has cost, its own errands included. Written by the projection ''usage''.';
COMMENT ON COLUMN usage_sessions.session_id IS 'The session.';
COMMENT ON COLUMN usage_sessions.machine_id IS 'The machine that reported it.';
COMMENT ON COLUMN usage_sessions.cost IS 'US dollars, the highest sum that was reported.';
COMMENT ON COLUMN usage_sessions.input_tokens IS 'Tokens read at the full rate.';
COMMENT ON COLUMN usage_sessions.output_tokens IS 'Tokens written by models.';
COMMENT ON COLUMN usage_sessions.cache_read_tokens IS 'Tokens read from the prompt cache.';
COMMENT ON COLUMN usage_sessions.cache_write_5m_tokens IS 'Tokens written to the cache of five minutes.';
COMMENT ON COLUMN usage_sessions.cache_write_1h_tokens IS 'Tokens written to the cache of an hour.';
COMMENT ON COLUMN usage_sessions.until IS 'When the process ended that reported it; NULL if unknown.';
COMMENT ON COLUMN usage_sessions.first_seq IS 'The event that reported it.';

CREATE VIEW usage_counted AS
SELECT * FROM usage_requests u
WHERE NOT (sources = 2 AND request_id IS NULL AND EXISTS (
    SELECT FROM usage_requests o WHERE o.session_id = u.session_id AND o.sources = 1 AND o.request_id IS NULL));

COMMENT ON VIEW usage_counted IS 'The requests that sums are made of: where telemetry names no request ids, a transcript''s requests without one are the same.';

CREATE TABLE search_events (
    seq bigint PRIMARY KEY,
    session_id text NOT NULL,
    machine_id bigint NOT NULL,
    workspace_id text,
    at timestamptz NOT NULL,
    kind text NOT NULL,
    words text NOT NULL
);

CREATE INDEX search_events_words ON search_events USING gin (to_tsvector('simple', words));
CREATE INDEX search_events_of_session ON search_events (session_id, seq);

COMMENT ON TABLE search_events IS 'What searches find in hook events: prompts, answers, and what tools got and gave. Written by the projection ''search''.';
COMMENT ON COLUMN search_events.seq IS 'The event.';
COMMENT ON COLUMN search_events.session_id IS 'Its session.';
COMMENT ON COLUMN search_events.machine_id IS 'The machine that posted it.';
COMMENT ON COLUMN search_events.workspace_id IS 'The session''s project directory, as far as it was known.';
COMMENT ON COLUMN search_events.at IS 'When it happened, by the machine''s clock.';
COMMENT ON COLUMN search_events.kind IS 'prompt, answer, tool_input or tool_output.';
COMMENT ON COLUMN search_events.words IS 'The text, as the event''s payload has it.';

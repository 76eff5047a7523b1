CREATE TABLE workspaces (
    id text PRIMARY KEY,
    machine_id bigint NOT NULL REFERENCES machines (id),
    path text NOT NULL,
    name text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_activity_at timestamptz NOT NULL
);

COMMENT ON TABLE workspaces IS 'Project directories, each on one machine.';
COMMENT ON COLUMN workspaces.id IS 'ws- and hexadecimal digits, derived from the machine and the path.';
COMMENT ON COLUMN workspaces.machine_id IS 'The machine that the directory is on.';
COMMENT ON COLUMN workspaces.path IS 'Absolute path of the project on that machine.';
COMMENT ON COLUMN workspaces.name IS 'The last component of the path, for people.';
COMMENT ON COLUMN workspaces.created_at IS 'When its first event was committed.';
COMMENT ON COLUMN workspaces.last_activity_at IS 'Receipt of its newest event, to within a minute.';

CREATE TABLE sessions (
    id text PRIMARY KEY,
    machine_id bigint NOT NULL REFERENCES machines (id),
    machine_name text NOT NULL,
    reported_name text,
    workspace_id text,
    project_path text,
    started_at timestamptz NOT NULL,
    last_activity_at timestamptz NOT NULL,
    ended_at timestamptz,
    state text NOT NULL,
    current_model text,
    message_count bigint NOT NULL,
    tool_call_count bigint NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cache_read_tokens bigint NOT NULL,
    cache_creation_tokens bigint NOT NULL,
    total_cost double precision,
    last_seq bigint NOT NULL,
    fold text NOT NULL
) WITH (fillfactor = 80);

CREATE INDEX sessions_by_activity ON sessions (last_activity_at DESC, id DESC);

COMMENT ON TABLE sessions IS 'One row for each Claude Code session: its events folded together, in the commit that adds them.';
COMMENT ON COLUMN sessions.id IS 'The session_id that Claude Code gave it.';
COMMENT ON COLUMN sessions.machine_id IS 'The machine whose key posted its events.';
COMMENT ON COLUMN sessions.machine_name IS 'The name that the machine''s key was made for.';
COMMENT ON COLUMN sessions.reported_name IS 'What that machine last called itself; NULL where it says nothing.';
COMMENT ON COLUMN sessions.workspace_id IS 'Its project directory; NULL while none is known.';
COMMENT ON COLUMN sessions.project_path IS 'Path of that directory; NULL while none is known.';
COMMENT ON COLUMN sessions.started_at IS 'Time of its earliest event, by the machine''s clock.';
COMMENT ON COLUMN sessions.last_activity_at IS 'Time of its latest event, by the machine''s clock.';
COMMENT ON COLUMN sessions.ended_at IS 'When it ended; NULL while it has not.';
COMMENT ON COLUMN sessions.state IS 'What it does: running, waiting, idle or error.';
COMMENT ON COLUMN sessions.current_model IS 'The model it last used; NULL while none was named.';
COMMENT ON COLUMN sessions.message_count IS 'Prompts of the person and answers of the model.';
COMMENT ON COLUMN sessions.tool_call_count IS 'Tool calls.';
COMMENT ON COLUMN sessions.input_tokens IS 'Tokens read at the full rate.';
COMMENT ON COLUMN sessions.output_tokens IS 'Tokens written by the model.';
COMMENT ON COLUMN sessions.cache_read_tokens IS 'Tokens read from the prompt cache.';
COMMENT ON COLUMN sessions.cache_creation_tokens IS 'Tokens written to the prompt cache.';
COMMENT ON COLUMN sessions.total_cost IS 'US dollars; NULL while none was reported.';
COMMENT ON COLUMN sessions.last_seq IS 'Place in the log of the last event folded in.';
COMMENT ON COLUMN sessions.fold IS 'The whole state of the fold as JSON: what the next event is applied to.';

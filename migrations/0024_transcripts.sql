CREATE TABLE transcript_files (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    machine_id bigint NOT NULL REFERENCES machines (id),
    path text NOT NULL,
    session_id text NOT NULL,
    generation bigint NOT NULL,
    line_offset bigint NOT NULL,
    prefix_length bigint NOT NULL,
    prefix_hash bytea NOT NULL,
    last_at timestamptz,
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (machine_id, path)
);

CREATE INDEX transcript_files_of_session ON transcript_files (session_id);

COMMENT ON TABLE transcript_files IS 'How far each transcript of each machine has been read.';
COMMENT ON COLUMN transcript_files.id IS 'The file.';
COMMENT ON COLUMN transcript_files.machine_id IS 'The machine that it is on.';
COMMENT ON COLUMN transcript_files.path IS 'Its path there.';
COMMENT ON COLUMN transcript_files.session_id IS 'The session that it belongs to, as Claude Code names it; for a subagent the session that started it.';
COMMENT ON COLUMN transcript_files.generation IS 'Counts how often another file took the path.';
COMMENT ON COLUMN transcript_files.line_offset IS 'Where the first line begins that is not stored.';
COMMENT ON COLUMN transcript_files.prefix_length IS 'Bytes at the beginning that prefix_hash is made of; 0 while it is not known.';
COMMENT ON COLUMN transcript_files.prefix_hash IS 'Their SHA-256, which tells a file from another that takes its path.';
COMMENT ON COLUMN transcript_files.last_at IS 'The time of its last line that names one.';
COMMENT ON COLUMN transcript_files.updated_at IS 'When it was last read.';

CREATE TABLE transcript_lines (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    machine_id bigint NOT NULL,
    session_id text NOT NULL,
    key text NOT NULL,
    file_id bigint NOT NULL,
    line_offset bigint NOT NULL,
    at timestamptz NOT NULL,
    type text NOT NULL,
    agent_id text,
    message_id text,
    kind text,
    is_message boolean NOT NULL,
    line text NOT NULL,
    words text,
    received_at timestamptz NOT NULL,
    UNIQUE (session_id, machine_id, key)
);

CREATE INDEX transcript_messages ON transcript_lines (session_id, machine_id, at, id) WHERE is_message;
CREATE INDEX transcript_messages_by_id ON transcript_lines (session_id, machine_id, coalesce(message_id, key)) WHERE is_message;
CREATE INDEX transcript_lines_by_receipt ON transcript_lines (received_at);
CREATE INDEX transcript_words ON transcript_lines USING gin (to_tsvector('simple', words)) WHERE words IS NOT NULL;

COMMENT ON TABLE transcript_lines IS 'The lines of transcripts, each once, under the content policy. Never changed.';
COMMENT ON COLUMN transcript_lines.id IS 'In the order of storing.';
COMMENT ON COLUMN transcript_lines.machine_id IS 'The machine that sent it.';
COMMENT ON COLUMN transcript_lines.session_id IS 'The session, as Claude Code names it.';
COMMENT ON COLUMN transcript_lines.key IS 'Its uuid, or a hash of its text.';
COMMENT ON COLUMN transcript_lines.file_id IS 'The file that it was first seen in.';
COMMENT ON COLUMN transcript_lines.line_offset IS 'Where it begins in that file.';
COMMENT ON COLUMN transcript_lines.at IS 'Its time, or that of the line before.';
COMMENT ON COLUMN transcript_lines.type IS 'What Claude Code calls such a line.';
COMMENT ON COLUMN transcript_lines.agent_id IS 'The subagent whose line it is; NULL for the main agent.';
COMMENT ON COLUMN transcript_lines.message_id IS 'The API''s id of the answer that the line is a block of; NULL for other lines.';
COMMENT ON COLUMN transcript_lines.kind IS 'Of a message: prompt, answer, thinking, tool_input, tool_output or image.';
COMMENT ON COLUMN transcript_lines.is_message IS 'A message of the conversation.';
COMMENT ON COLUMN transcript_lines.line IS 'The line''s JSON, masked and cut.';
COMMENT ON COLUMN transcript_lines.words IS 'The text that searches look at; NULL where there is none.';
COMMENT ON COLUMN transcript_lines.received_at IS 'When the server got it.';

CREATE TABLE transcript_growth (
    event_id uuid PRIMARY KEY,
    machine_id bigint NOT NULL,
    machine_name text NOT NULL,
    session_id text NOT NULL,
    occurred_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL,
    project_path text,
    payload text NOT NULL,
    facts text NOT NULL
);

COMMENT ON TABLE transcript_growth IS 'Events about stored lines that are not in the log yet: written with the lines, deleted when the log has the event.';
COMMENT ON COLUMN transcript_growth.event_id IS 'The event''s id.';
COMMENT ON COLUMN transcript_growth.machine_id IS 'The machine that sent the lines.';
COMMENT ON COLUMN transcript_growth.machine_name IS 'The name that the machine''s key was made for.';
COMMENT ON COLUMN transcript_growth.session_id IS 'The session.';
COMMENT ON COLUMN transcript_growth.occurred_at IS 'The time of the last line.';
COMMENT ON COLUMN transcript_growth.received_at IS 'When the server got the lines.';
COMMENT ON COLUMN transcript_growth.project_path IS 'The project directory, if it is known.';
COMMENT ON COLUMN transcript_growth.payload IS 'The event''s payload.';
COMMENT ON COLUMN transcript_growth.facts IS 'The event''s facts, with the usage that the lines tell.';

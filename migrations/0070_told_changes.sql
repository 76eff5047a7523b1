CREATE TABLE told_changes (
    session_id text PRIMARY KEY,
    machine_id bigint NOT NULL,
    changes text NOT NULL,
    bytes integer NOT NULL,
    told_at timestamptz NOT NULL
);

CREATE INDEX told_changes_in_order ON told_changes (told_at DESC, session_id) INCLUDE (bytes);

COMMENT ON TABLE told_changes IS 'The change sets that machines'' agents told last, for the time in which an agent is away: names and counts, no contents.';
COMMENT ON COLUMN told_changes.session_id IS 'The session.';
COMMENT ON COLUMN told_changes.machine_id IS 'The machine of the session.';
COMMENT ON COLUMN told_changes.changes IS 'The set as JSON, as the agent answers it, with at most 200 files.';
COMMENT ON COLUMN told_changes.bytes IS 'The size of changes.';
COMMENT ON COLUMN told_changes.told_at IS 'When the agent told it.';

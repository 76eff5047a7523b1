ALTER TABLE events ADD COLUMN facts text;

COMMENT ON COLUMN events.facts IS
    'What the hook''s JSON says about the session beyond the other columns, taken before masking; NULL where it says nothing.';

ALTER TABLE log_head
    ADD COLUMN folded_seq bigint NOT NULL DEFAULT 0,
    ADD COLUMN sessions_removed bigint NOT NULL DEFAULT 0;

UPDATE log_head SET folded_seq = last_seq;

COMMENT ON COLUMN log_head.folded_seq IS
    'All events up to here are folded into sessions; of later ones a row of sessions holds those up to its last_seq.';
COMMENT ON COLUMN log_head.sessions_removed IS
    'Counts removals of sessions on request: a writer that finds it changed forgets the sessions it remembers.';

COMMENT ON TABLE sessions IS
    'One row for each Claude Code session: its events folded together, at most some seconds after the commit that adds them.';

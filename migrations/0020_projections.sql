-- What follows from the log is written behind it, by consumers that each keep their place.
CREATE TABLE projections (
    name text PRIMARY KEY,
    version bigint NOT NULL,
    epoch text NOT NULL,
    seq bigint NOT NULL,
    generation bigint NOT NULL DEFAULT 0,
    state text,
    moved_at timestamptz NOT NULL
) WITH (fillfactor = 10);

COMMENT ON TABLE projections IS 'One row for each consumer of the log: how far its tables have got. It is moved in the transaction that writes them.';
COMMENT ON COLUMN projections.name IS 'Names the consumer, and its lease.';
COMMENT ON COLUMN projections.version IS 'Of the rules that made the rows; other rules make them anew.';
COMMENT ON COLUMN projections.epoch IS 'The log''s.';
COMMENT ON COLUMN projections.seq IS 'The tables hold all events up to this place.';
COMMENT ON COLUMN projections.generation IS 'Changes when somebody else changes the tables: the consumer forgets what it remembers.';
COMMENT ON COLUMN projections.state IS 'What the consumer remembers beyond its tables, as JSON; NULL where there is nothing.';
COMMENT ON COLUMN projections.moved_at IS 'When it last moved on.';

INSERT INTO projections (name, version, epoch, seq, moved_at)
SELECT 'sessions', 1, epoch, folded_seq, now() FROM log_head
UNION ALL SELECT 'event_counts', 1, epoch, through_seq, now() FROM log_head, event_counts_head;

INSERT INTO projections (name, version, epoch, seq, state, moved_at)
SELECT 'push', 1, epoch, seq, state, moved_at FROM push_progress;

CREATE FUNCTION projection_lease(name text) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT hashtextextended('claude-monitor projection ' || name, 0) $$;

COMMENT ON FUNCTION projection_lease(text) IS
    'Key of the session-level advisory lock that whoever moves a projection holds.';

CREATE TABLE session_owners (
    session_id text PRIMARY KEY,
    machine_id bigint NOT NULL,
    project_path text,
    path_at timestamptz,
    path_event uuid
) WITH (fillfactor = 90);

COMMENT ON TABLE session_owners IS 'Which machine began a session, and in which directory: what the writer has to know of it.';
COMMENT ON COLUMN session_owners.session_id IS 'The session.';
COMMENT ON COLUMN session_owners.machine_id IS 'The machine that began it: events of others go to sessions of their own.';
COMMENT ON COLUMN session_owners.project_path IS 'The project directory that its earliest event names; NULL while none does.';
COMMENT ON COLUMN session_owners.path_at IS 'Time of that event, by the machine''s clock.';
COMMENT ON COLUMN session_owners.path_event IS 'Id of that event: decides between equal times.';

INSERT INTO session_owners
SELECT id, machine_id, project_path,
    timestamptz 'epoch' + substring(fold FROM '"project":\[(-?\d+)')::bigint * interval '1 microsecond',
    substring(fold FROM '"project":\[-?\d+,"([0-9a-fA-F-]{36})"')::uuid
FROM sessions;

CREATE TABLE removed_sessions (
    session_id text PRIMARY KEY,
    through_seq bigint NOT NULL
);

COMMENT ON TABLE removed_sessions IS 'Sessions that were removed on request while events of theirs are kept.';
COMMENT ON COLUMN removed_sessions.session_id IS 'The session.';
COMMENT ON COLUMN removed_sessions.through_seq IS 'Its events up to this place count for nothing; a later one begins it anew.';

INSERT INTO removed_sessions
SELECT e.session_id, max(e.seq) FROM events e
WHERE e.session_id IS NOT NULL AND (SELECT sessions_removed FROM log_head) > 0
    AND e.seq <= (SELECT folded_seq FROM log_head)
    AND NOT EXISTS (SELECT FROM sessions s WHERE s.id = e.session_id)
GROUP BY e.session_id;

ALTER TABLE sessions ADD COLUMN is_cut boolean NOT NULL DEFAULT false;

COMMENT ON COLUMN sessions.is_cut IS 'Some of its events were dropped by retention: the row cannot be made anew, and stays.';

ALTER TABLE log_head ADD COLUMN dropped_before timestamptz;

COMMENT ON COLUMN log_head.dropped_before IS 'Events received before it may have been dropped by retention; NULL while none has been.';

UPDATE log_head SET dropped_before = (SELECT min(received_at) FROM events)
WHERE last_seq > 0 AND (SELECT min(seq) FROM events) > 1;

-- A machine's clock may be wrong by hours.
UPDATE sessions SET is_cut = true
WHERE started_at < (SELECT dropped_before + interval '1 day' FROM log_head);

DROP FUNCTION count_events(bigint);
DROP TABLE event_counts_head;
DROP TABLE push_progress;
ALTER TABLE log_head DROP COLUMN folded_seq;

COMMENT ON COLUMN log_head.sessions_removed IS
    'Counts removals of sessions: a writer that finds it changed forgets the sessions it remembers.';
COMMENT ON TABLE sessions IS
    'One row for each Claude Code session: its events folded together by the projection of that name.';
COMMENT ON TABLE event_counts IS
    'How many events there are of what, up to the place of the projection of that name: what statistics over days are summed from.';
COMMENT ON TABLE push_watches IS 'What the judgement remembers of each session, written in the commit that moves the projection ''push''.';

CREATE TABLE log_head (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    epoch text NOT NULL,
    last_seq bigint NOT NULL
) WITH (fillfactor = 10);

COMMENT ON TABLE log_head IS 'One row: the end of the log. A writer holds its row lock to the commit, so seq order is commit order.';
COMMENT ON COLUMN log_head.singleton IS 'Always true: the key that keeps the table to one row.';
COMMENT ON COLUMN log_head.epoch IS 'Names this log. A new value tells clients that seq numbers they remember are void.';
COMMENT ON COLUMN log_head.last_seq IS 'The newest seq; 0 in an empty log.';

INSERT INTO log_head (epoch, last_seq) VALUES (gen_random_uuid()::text, 0);

CREATE TABLE events (
    seq bigint NOT NULL,
    event_id uuid NOT NULL,
    type text NOT NULL,
    hook_event_name text,
    occurred_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL,
    machine_id bigint NOT NULL,
    machine_name text NOT NULL,
    reported_name text,
    session_id text,
    workspace_id text,
    project_path text,
    tool_name text,
    summary text NOT NULL,
    payload text NOT NULL
) PARTITION BY RANGE (received_at);

CREATE INDEX events_seq ON events (seq);
CREATE INDEX events_session_seq ON events (session_id, seq) WHERE session_id IS NOT NULL;

COMMENT ON TABLE events IS 'The log: every event once, never changed. A partition holds a day (UTC) and is dropped whole.';
COMMENT ON COLUMN events.seq IS 'Place in the log: dense, in commit order.';
COMMENT ON COLUMN events.event_id IS 'The sender''s id; unique through event_ids.';
COMMENT ON COLUMN events.type IS 'The monitor''s word for the kind of event.';
COMMENT ON COLUMN events.hook_event_name IS 'Claude Code''s word for it; NULL where it has none.';
COMMENT ON COLUMN events.occurred_at IS 'When it happened, by the machine''s clock.';
COMMENT ON COLUMN events.received_at IS 'When the server got it, by the server''s clock; the partition key.';
COMMENT ON COLUMN events.machine_id IS 'The machine whose key posted it.';
COMMENT ON COLUMN events.machine_name IS 'The name that the machine''s key was made for.';
COMMENT ON COLUMN events.reported_name IS 'What that machine called itself; NULL where it said nothing.';
COMMENT ON COLUMN events.session_id IS 'Its session; NULL for events outside any.';
COMMENT ON COLUMN events.workspace_id IS 'Its session''s project directory, as known when it was committed.';
COMMENT ON COLUMN events.project_path IS 'The project''s path as the sender told it.';
COMMENT ON COLUMN events.tool_name IS 'The tool it is about; NULL where it is about none.';
COMMENT ON COLUMN events.summary IS 'One line for people.';
COMMENT ON COLUMN events.payload IS 'The hook''s JSON, masked and cut, given out as it is: text, because jsonb would rewrite it.';

CREATE TABLE events_default PARTITION OF events DEFAULT;

COMMENT ON TABLE events_default IS 'Events of days that have no partition yet; emptied into the partition when it is made.';

CREATE TABLE event_ids (
    event_id uuid PRIMARY KEY,
    seq bigint NOT NULL,
    received_at timestamptz NOT NULL
);

COMMENT ON TABLE event_ids IS 'Makes event ids unique over all partitions of events, which an index on events cannot.';
COMMENT ON COLUMN event_ids.event_id IS 'The sender''s id.';
COMMENT ON COLUMN event_ids.seq IS 'The event''s place in the log.';
COMMENT ON COLUMN event_ids.received_at IS 'The event''s received_at: says which partition holds it.';

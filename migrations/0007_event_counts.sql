CREATE TABLE event_counts (
    day date NOT NULL,
    machine_id bigint NOT NULL,
    workspace_id text NOT NULL,
    tool_name text NOT NULL,
    events bigint NOT NULL,
    prompts bigint NOT NULL,
    tool_calls bigint NOT NULL,
    tool_failures bigint NOT NULL,
    PRIMARY KEY (day, machine_id, workspace_id, tool_name)
);

COMMENT ON TABLE event_counts IS 'How many events there are of what, up to event_counts_head: what statistics over days are summed from.';
COMMENT ON COLUMN event_counts.day IS 'The day (UTC) of receipt.';
COMMENT ON COLUMN event_counts.machine_id IS 'The machine whose key posted them.';
COMMENT ON COLUMN event_counts.workspace_id IS 'Their project directory; empty where none was known.';
COMMENT ON COLUMN event_counts.tool_name IS 'The tool they are about; empty for events about none.';
COMMENT ON COLUMN event_counts.events IS 'All of them.';
COMMENT ON COLUMN event_counts.prompts IS 'Prompts of the person.';
COMMENT ON COLUMN event_counts.tool_calls IS 'Tool calls that ended, well or not.';
COMMENT ON COLUMN event_counts.tool_failures IS 'Tool calls that failed.';

CREATE TABLE event_counts_head (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    through_seq bigint NOT NULL
);

COMMENT ON TABLE event_counts_head IS 'One row: how far the log has been counted.';
COMMENT ON COLUMN event_counts_head.singleton IS 'Always true: the key that keeps the table to one row.';
COMMENT ON COLUMN event_counts_head.through_seq IS 'The last seq that event_counts has in it.';

INSERT INTO event_counts_head (through_seq) VALUES (0);

CREATE FUNCTION count_events(most bigint) RETURNS bigint
    LANGUAGE plpgsql AS
$$
DECLARE
    first_seq bigint;
    last_counted bigint;
BEGIN
    -- Another node that is at it does it for this one.
    SELECT through_seq INTO first_seq FROM event_counts_head FOR UPDATE SKIP LOCKED;
    IF first_seq IS NULL THEN
        RETURN 0;
    END IF;
    SELECT least(last_seq, first_seq + most) INTO last_counted FROM log_head;
    IF last_counted <= first_seq THEN
        RETURN 0;
    END IF;
    -- Whoever reads last_seq N reads all events up to N from the next statement on: seq order is commit order.
    INSERT INTO event_counts
    SELECT (received_at AT TIME ZONE 'UTC')::date, machine_id, coalesce(workspace_id, ''), coalesce(tool_name, ''),
        count(*), count(*) FILTER (WHERE type = 'prompt'),
        count(*) FILTER (WHERE type IN ('tool', 'tool_failure')), count(*) FILTER (WHERE type = 'tool_failure')
    FROM events WHERE seq > first_seq AND seq <= last_counted
    GROUP BY 1, 2, 3, 4
    ON CONFLICT (day, machine_id, workspace_id, tool_name) DO UPDATE SET
        events = event_counts.events + excluded.events, prompts = event_counts.prompts + excluded.prompts,
        tool_calls = event_counts.tool_calls + excluded.tool_calls,
        tool_failures = event_counts.tool_failures + excluded.tool_failures;
    UPDATE event_counts_head SET through_seq = last_counted;
    RETURN last_counted - first_seq;
END
$$;

COMMENT ON FUNCTION count_events(bigint) IS
    'Counts at most so many events more. Returns how many: 0 when all are counted or another node is at it.';

CREATE TABLE usage_streams (
    session_id text PRIMARY KEY,
    machine_id bigint NOT NULL,
    numbers text NOT NULL,
    missing bigint NOT NULL,
    last_number bigint NOT NULL,
    is_cut_off bigint NOT NULL,
    first_seq bigint NOT NULL
) WITH (fillfactor = 50);

CREATE INDEX usage_streams_by_end ON usage_streams (machine_id, last_number);
CREATE INDEX usage_streams_incomplete ON usage_streams (session_id) WHERE missing > 0 OR is_cut_off = 1;

COMMENT ON TABLE usage_streams IS 'Which log records of each session''s telemetry have arrived. Written by the projection ''usage''.';
COMMENT ON COLUMN usage_streams.session_id IS 'The session.';
COMMENT ON COLUMN usage_streams.machine_id IS 'The machine that reported it.';
COMMENT ON COLUMN usage_streams.numbers IS 'Numbers given up, then for each part that has arrived: first, last, times in microseconds, 1 where a process began.';
COMMENT ON COLUMN usage_streams.missing IS 'Numbers that have not arrived.';
COMMENT ON COLUMN usage_streams.last_number IS 'The last number of the latest part.';
COMMENT ON COLUMN usage_streams.is_cut_off IS '1 if the process went without a word: its last records may be missing.';
COMMENT ON COLUMN usage_streams.first_seq IS 'The first event that was counted.';

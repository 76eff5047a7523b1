CREATE TABLE stream_progress (
    machine_id bigint NOT NULL,
    stream_id text NOT NULL,
    session_id text NOT NULL,
    numbers text NOT NULL,
    missing bigint NOT NULL,
    recovered bigint NOT NULL,
    first_seq bigint NOT NULL,
    PRIMARY KEY (machine_id, stream_id, session_id)
) WITH (fillfactor = 50);

CREATE INDEX stream_progress_of_session ON stream_progress (session_id) WHERE session_id <> '';

COMMENT ON TABLE stream_progress IS 'Which numbers of each machine''s events have arrived. Written by the projection ''completeness''.';
COMMENT ON COLUMN stream_progress.machine_id IS 'The machine.';
COMMENT ON COLUMN stream_progress.stream_id IS 'The machine''s name for its count; another one begins when the machine lost its counters.';
COMMENT ON COLUMN stream_progress.session_id IS 'The session whose own count this is; empty for the count of all events.';
COMMENT ON COLUMN stream_progress.numbers IS 'Numbers given up, numbers recovered, and the ranges that have arrived, as 0 2 1-40,42.';
COMMENT ON COLUMN stream_progress.missing IS 'Numbers below the highest that have not arrived.';
COMMENT ON COLUMN stream_progress.recovered IS 'Numbers that arrived after a higher one.';
COMMENT ON COLUMN stream_progress.first_seq IS 'The first event that was counted.';

CREATE TABLE machine_heartbeats (
    machine_id bigint PRIMARY KEY REFERENCES machines (id) ON DELETE CASCADE,
    at timestamptz NOT NULL,
    sessions text[] NOT NULL
) WITH (fillfactor = 50);

COMMENT ON TABLE machine_heartbeats IS 'The last heartbeat of each machine that sends some.';
COMMENT ON COLUMN machine_heartbeats.machine_id IS 'The machine.';
COMMENT ON COLUMN machine_heartbeats.at IS 'When the server got it, by the server''s clock.';
COMMENT ON COLUMN machine_heartbeats.sessions IS 'The sessions whose processes lived then, as Claude Code names them.';

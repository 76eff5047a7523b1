CREATE TABLE machine_agents (
    machine_id bigint PRIMARY KEY REFERENCES machines (id) ON DELETE CASCADE,
    identity_digest text NOT NULL,
    version text NOT NULL,
    platform text NOT NULL,
    connected_at timestamptz NOT NULL
);

COMMENT ON TABLE machine_agents IS 'The agent of each machine that has had one.';
COMMENT ON COLUMN machine_agents.identity_digest IS
    'SHA-256, hexadecimal, of the secret of the first agent that connected. Another one is refused until an operator forgets this row.';
COMMENT ON COLUMN machine_agents.machine_id IS 'The machine.';
COMMENT ON COLUMN machine_agents.version IS 'Version of the agent at its last connection.';
COMMENT ON COLUMN machine_agents.platform IS 'Operating system and processor, as the agent calls them.';
COMMENT ON COLUMN machine_agents.connected_at IS 'When the agent last connected, to any server.';

ALTER TABLE workspaces ADD COLUMN auto_start boolean NOT NULL DEFAULT false;
ALTER TABLE machine_agents ADD COLUMN opened_for text;

COMMENT ON COLUMN workspaces.auto_start IS 'Whether the machine''s agent opens a session here when it starts, unless one runs.';
COMMENT ON COLUMN machine_agents.opened_for IS
    'Names the process of the agent for which sessions were opened last. A new connection of it opens none again.';

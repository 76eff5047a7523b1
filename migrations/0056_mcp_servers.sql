CREATE TABLE mcp_servers (
    id text PRIMARY KEY,
    machine_id bigint NOT NULL,
    scope text NOT NULL,
    project_path text,
    name text NOT NULL,
    transport text NOT NULL,
    state text NOT NULL,
    reason text,
    is_complete boolean NOT NULL,
    is_present boolean NOT NULL,
    created_at timestamptz NOT NULL,
    refreshed_at timestamptz NOT NULL
);

CREATE INDEX mcp_servers_by_machine ON mcp_servers (machine_id, name);

COMMENT ON TABLE mcp_servers IS 'MCP servers that machines have, as their agents last told.';
COMMENT ON COLUMN mcp_servers.id IS 'mcp_ and a digest of machine, scope, directory and name.';
COMMENT ON COLUMN mcp_servers.machine_id IS 'The machine.';
COMMENT ON COLUMN mcp_servers.scope IS 'Where Claude Code is configured with it: user, local, project and others.';
COMMENT ON COLUMN mcp_servers.project_path IS 'The directory for which it is configured; NULL for scope user.';
COMMENT ON COLUMN mcp_servers.name IS 'The name in the configuration.';
COMMENT ON COLUMN mcp_servers.transport IS 'stdio, http and others.';
COMMENT ON COLUMN mcp_servers.state IS 'connected, failed, needs-auth, pending, disabled or unlisted.';
COMMENT ON COLUMN mcp_servers.reason IS 'Why it has failed or is not listed.';
COMMENT ON COLUMN mcp_servers.is_complete IS 'Whether all tools are known.';
COMMENT ON COLUMN mcp_servers.is_present IS 'Whether the machine had it when it was last asked.';
COMMENT ON COLUMN mcp_servers.created_at IS 'When it was first seen.';
COMMENT ON COLUMN mcp_servers.refreshed_at IS 'When the machine last told of it.';

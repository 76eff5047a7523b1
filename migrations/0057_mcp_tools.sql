CREATE TABLE mcp_tools (
    server_id text NOT NULL REFERENCES mcp_servers ON DELETE CASCADE,
    name text NOT NULL,
    definition text NOT NULL,
    digest text NOT NULL,
    offered text,
    offered_digest text,
    is_present boolean NOT NULL,
    created_at timestamptz NOT NULL,
    changed_at timestamptz,
    accepted_by text,
    accepted_at timestamptz,
    search tsvector NOT NULL,
    PRIMARY KEY (server_id, name)
);

CREATE INDEX mcp_tools_search ON mcp_tools USING gin (search);

COMMENT ON TABLE mcp_tools IS 'Tools of MCP servers. The first definition is pinned; another counts when a person has accepted it.';
COMMENT ON COLUMN mcp_tools.server_id IS 'The server.';
COMMENT ON COLUMN mcp_tools.name IS 'The name that the server gives it.';
COMMENT ON COLUMN mcp_tools.definition IS 'The pinned definition, as JSON with sorted members.';
COMMENT ON COLUMN mcp_tools.digest IS 'SHA-256 of it; empty if only the name is known.';
COMMENT ON COLUMN mcp_tools.offered IS 'Another definition that the server gave last, until a person accepts it.';
COMMENT ON COLUMN mcp_tools.offered_digest IS 'SHA-256 of that.';
COMMENT ON COLUMN mcp_tools.is_present IS 'Whether the server had it when it was last asked.';
COMMENT ON COLUMN mcp_tools.created_at IS 'When it was first seen.';
COMMENT ON COLUMN mcp_tools.changed_at IS 'When another definition was first seen.';
COMMENT ON COLUMN mcp_tools.accepted_by IS 'Who accepted the definition, as the audit log names principals; NULL if it is the first one.';
COMMENT ON COLUMN mcp_tools.accepted_at IS 'When.';
COMMENT ON COLUMN mcp_tools.search IS 'Words of the name, the description and the arguments of the pinned definition.';

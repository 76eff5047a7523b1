-- What the monitor itself does at the request of programs belongs to this machine, which posts nothing and is not listed. No
-- other machine can have its name.
INSERT INTO machines (id, name) OVERRIDING SYSTEM VALUE VALUES (0, '');

CREATE TABLE remote_mcp_servers (
    server_id text PRIMARY KEY REFERENCES mcp_servers ON DELETE CASCADE,
    url text NOT NULL,
    header_names text NOT NULL,
    headers bytea,
    trusts_hints boolean NOT NULL,
    created_by text NOT NULL,
    changed_at timestamptz NOT NULL,
    next_listing_at timestamptz NOT NULL,
    listed_at timestamptz,
    failures integer NOT NULL
);

CREATE INDEX remote_mcp_servers_by_listing ON remote_mcp_servers (next_listing_at);

COMMENT ON TABLE remote_mcp_servers IS 'MCP servers that the monitor itself calls. Their other columns are in mcp_servers, with machine 0.';
COMMENT ON COLUMN remote_mcp_servers.server_id IS 'The server.';
COMMENT ON COLUMN remote_mcp_servers.url IS 'Where it is.';
COMMENT ON COLUMN remote_mcp_servers.header_names IS 'A JSON array with the names of the headers that each request has.';
COMMENT ON COLUMN remote_mcp_servers.headers IS 'A JSON object with these headers, sealed; NULL if there are none.';
COMMENT ON COLUMN remote_mcp_servers.trusts_hints IS 'Whether a person believes what the server says of its tools: those with readOnlyHint then need no approval.';
COMMENT ON COLUMN remote_mcp_servers.created_by IS 'Who added it, as the audit log names principals.';
COMMENT ON COLUMN remote_mcp_servers.changed_at IS 'When a person last changed it.';
COMMENT ON COLUMN remote_mcp_servers.next_listing_at IS 'When a server asks it for its tools again; the one that asks puts this off first.';
COMMENT ON COLUMN remote_mcp_servers.listed_at IS 'When it last gave its tools.';
COMMENT ON COLUMN remote_mcp_servers.failures IS 'How often in a row it has failed to.';

CREATE TABLE toolkits (
    slug text PRIMARY KEY,
    server_id text NOT NULL UNIQUE REFERENCES mcp_servers ON DELETE CASCADE
);

CREATE TABLE toolkit_tools (
    slug text PRIMARY KEY,
    server_id text NOT NULL,
    tool text NOT NULL,
    UNIQUE (server_id, tool),
    FOREIGN KEY (server_id, tool) REFERENCES mcp_tools ON DELETE CASCADE
);

-- The servers and tools that are known already get the names that they would get now: see ToolkitSlug.
INSERT INTO toolkits (slug, server_id)
SELECT CASE number WHEN 1 THEN plain ELSE plain || '_' || left(encode(sha256(id::bytea), 'hex'), 8) END, id
FROM (SELECT id, plain, row_number() OVER (PARTITION BY plain ORDER BY created_at, id) AS number
    FROM (SELECT id, created_at, CASE WHEN word LIKE 'composio%' THEN 'mcp_' || word ELSE word END AS plain
        FROM (SELECT id, created_at, regexp_replace(lower(name), '[^a-z0-9]', '_', 'g') AS word FROM mcp_servers) w) p) n
ON CONFLICT DO NOTHING;

INSERT INTO toolkit_tools (slug, server_id, tool)
SELECT CASE number WHEN 1 THEN plain ELSE plain || '_' || upper(left(encode(sha256(name::bytea), 'hex'), 8)) END, server_id, name
FROM (SELECT server_id, name, plain, row_number() OVER (PARTITION BY plain ORDER BY created_at, server_id, name) AS number
    FROM (SELECT t.server_id, t.name, t.created_at,
            upper(k.slug) || '_' || regexp_replace(upper(t.name), '[^A-Z0-9]', '_', 'g') AS plain
        FROM mcp_tools t JOIN toolkits k ON k.server_id = t.server_id) p) n
ON CONFLICT DO NOTHING;

CREATE TABLE tool_router_sessions (
    id text PRIMARY KEY,
    key_id bigint NOT NULL REFERENCES api_keys,
    user_id text NOT NULL,
    config text NOT NULL,
    config_version bigint NOT NULL,
    created_at timestamptz NOT NULL,
    used_at timestamptz NOT NULL
);

CREATE INDEX tool_router_sessions_of_key ON tool_router_sessions (key_id, used_at);

CREATE TABLE tool_router_waits (
    call_id text PRIMARY KEY REFERENCES tool_calls ON DELETE CASCADE,
    session_id text,
    turn bigint NOT NULL,
    expires_at timestamptz NOT NULL
);

CREATE INDEX tool_router_waits_by_expiry ON tool_router_waits (expires_at);

ALTER TABLE api_keys
    ADD COLUMN toolkits text[],
    ADD COLUMN shares text[] NOT NULL DEFAULT '{}';

COMMENT ON TABLE toolkits IS 'The names of MCP servers in the tool router. A name means the same server as long as the server is known.';
COMMENT ON COLUMN toolkits.slug IS 'Lower case letters, digits and underscores.';
COMMENT ON COLUMN toolkits.server_id IS 'The MCP server.';
COMMENT ON TABLE toolkit_tools IS 'The names of tools in the tool router. They cannot be inverted: characters and case are lost.';
COMMENT ON COLUMN toolkit_tools.slug IS 'Upper case letters, digits and underscores.';
COMMENT ON COLUMN toolkit_tools.server_id IS 'The MCP server.';
COMMENT ON COLUMN toolkit_tools.tool IS 'The name that the server gives the tool.';
COMMENT ON TABLE tool_router_sessions IS 'What programs make of the tool router for their users. A session is deleted 30 days after its last use.';
COMMENT ON COLUMN tool_router_sessions.id IS 'A random text.';
COMMENT ON COLUMN tool_router_sessions.key_id IS 'The API key that made it. No other key can use it.';
COMMENT ON COLUMN tool_router_sessions.user_id IS 'The program''s word for its user.';
COMMENT ON COLUMN tool_router_sessions.config IS 'A JSON object: what was asked for when it was created or changed.';
COMMENT ON COLUMN tool_router_sessions.config_version IS 'Raised by each change.';
COMMENT ON COLUMN tool_router_sessions.created_at IS 'When it was created.';
COMMENT ON COLUMN tool_router_sessions.used_at IS 'About when it was last used.';
COMMENT ON TABLE tool_router_waits IS 'Calls about which a person is asked, and for which a program may wait on.';
COMMENT ON COLUMN tool_router_waits.call_id IS 'The call.';
COMMENT ON COLUMN tool_router_waits.session_id IS 'The session of the tool router; NULL for a call without one.';
COMMENT ON COLUMN tool_router_waits.turn IS 'The number of the one request state that counts. Each is used once.';
COMMENT ON COLUMN tool_router_waits.expires_at IS 'When the call is over at the latest.';
COMMENT ON COLUMN api_keys.toolkits IS 'The names of the MCP servers whose tools the key may run; NULL: all that its capabilities cover.';
COMMENT ON COLUMN api_keys.shares IS 'The names of the remote MCP servers that the key may use with the operator''s own login, in the tool router.';

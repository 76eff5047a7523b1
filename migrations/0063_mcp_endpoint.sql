CREATE TABLE mcp_tool_names (
    name text PRIMARY KEY,
    server_id text NOT NULL,
    tool text NOT NULL,
    UNIQUE (server_id, tool),
    FOREIGN KEY (server_id, tool) REFERENCES mcp_tools ON DELETE CASCADE
);

ALTER TABLE access_keys ADD COLUMN tool_servers text[] NOT NULL DEFAULT '{}';
ALTER TABLE tool_calls
    ADD COLUMN project_path text,
    ADD COLUMN idempotency_key text,
    ADD COLUMN request_digest text,
    ADD COLUMN status bigint,
    ADD COLUMN awaited_at timestamptz;

CREATE UNIQUE INDEX tool_calls_by_key ON tool_calls (caller, idempotency_key) WHERE idempotency_key IS NOT NULL;

COMMENT ON TABLE mcp_tool_names IS 'The names under which /mcp offers tools of MCP servers. A name means the same tool as long as the tool has its pin.';
COMMENT ON COLUMN mcp_tool_names.name IS 'At most 50 characters, because clients put the name of this server before it.';
COMMENT ON COLUMN mcp_tool_names.server_id IS 'The MCP server.';
COMMENT ON COLUMN mcp_tool_names.tool IS 'The name that the server gives the tool.';
COMMENT ON COLUMN access_keys.tool_servers IS 'The names of the MCP servers whose tools programs with this key may call by /mcp.';
COMMENT ON COLUMN tool_calls.project_path IS 'The directory in which the tool runs.';
COMMENT ON COLUMN tool_calls.idempotency_key IS 'The Idempotency-Key of the request, for a day.';
COMMENT ON COLUMN tool_calls.request_digest IS 'SHA-256 of that request; NULL without a key.';
COMMENT ON COLUMN tool_calls.status IS 'The status of the answer to the request, if the call has no result.';
COMMENT ON COLUMN tool_calls.awaited_at IS 'When a client last came back to wait for the call; NULL if none has.';

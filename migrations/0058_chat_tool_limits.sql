CREATE TABLE chat_tool_limits (
    session_id text PRIMARY KEY,
    machine_id bigint NOT NULL,
    limits text NOT NULL,
    used_at timestamptz NOT NULL
);

COMMENT ON TABLE chat_tool_limits IS 'The MCP servers and tools that sessions of project chats are left with, until a request names others.';
COMMENT ON COLUMN chat_tool_limits.session_id IS 'The session.';
COMMENT ON COLUMN chat_tool_limits.machine_id IS 'The machine of the session.';
COMMENT ON COLUMN chat_tool_limits.limits IS 'A JSON object with enabled_servers and enabled_tools, as the request has them; a missing list leaves all.';
COMMENT ON COLUMN chat_tool_limits.used_at IS 'When the last message was sent with them.';

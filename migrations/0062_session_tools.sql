CREATE TABLE session_tools (
    session_id text PRIMARY KEY,
    machine_id bigint NOT NULL,
    limits text NOT NULL,
    denied text NOT NULL,
    set_by text NOT NULL,
    set_at timestamptz NOT NULL
);

COMMENT ON TABLE session_tools IS 'The MCP servers and tools that sessions are left with, until somebody changes that.';
COMMENT ON COLUMN session_tools.session_id IS 'The session.';
COMMENT ON COLUMN session_tools.machine_id IS 'The machine of the session.';
COMMENT ON COLUMN session_tools.limits IS 'A JSON object with enabled_servers, enabled_tools and priority, as the request had them; a missing list leaves all.';
COMMENT ON COLUMN session_tools.denied IS 'A JSON array of the rules by which the session''s process denied tools when it was told.';
COMMENT ON COLUMN session_tools.set_by IS 'Who has set it, as the audit log names principals.';
COMMENT ON COLUMN session_tools.set_at IS 'When.';

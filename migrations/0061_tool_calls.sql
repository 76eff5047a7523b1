CREATE TABLE tool_calls (
    id text PRIMARY KEY,
    caller text NOT NULL,
    caller_name text,
    machine_id bigint NOT NULL,
    session_id text,
    server_id text NOT NULL,
    server text NOT NULL,
    tool text NOT NULL,
    digest text NOT NULL,
    arguments_digest text NOT NULL,
    state text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    touched_at timestamptz NOT NULL,
    started_at timestamptz,
    ended_at timestamptz,
    prompt_id text,
    approved_by text,
    is_error boolean,
    code text,
    message text,
    result_bytes bigint,
    result text
);

ALTER TABLE mcp_servers ADD COLUMN failed_at timestamptz;

CREATE INDEX tool_calls_by_time ON tool_calls (created_at, id);
CREATE INDEX tool_calls_open ON tool_calls (touched_at) WHERE ended_at IS NULL;

COMMENT ON TABLE tool_calls IS 'Calls of MCP servers'' tools: written before a person is asked, so that nothing runs without its row.';
COMMENT ON COLUMN tool_calls.id IS 'A UUID, which the machine''s agent also knows.';
COMMENT ON COLUMN tool_calls.caller IS 'Who asked for it, as the audit log names principals.';
COMMENT ON COLUMN tool_calls.caller_name IS 'The name of the device or the API key; NULL for the operator.';
COMMENT ON COLUMN tool_calls.machine_id IS 'The machine that runs the tool.';
COMMENT ON COLUMN tool_calls.session_id IS 'The session whose process runs it; NULL for a process of its own.';
COMMENT ON COLUMN tool_calls.server_id IS 'The MCP server.';
COMMENT ON COLUMN tool_calls.server IS 'Its name.';
COMMENT ON COLUMN tool_calls.tool IS 'The tool''s name.';
COMMENT ON COLUMN tool_calls.digest IS 'SHA-256 of the definition that was pinned; empty if only the name was known.';
COMMENT ON COLUMN tool_calls.arguments_digest IS 'SHA-256 of the arguments, as JSON with sorted members.';
COMMENT ON COLUMN tool_calls.state IS 'waiting for a person, running, completed, denied, expired, refused or unknown.';
COMMENT ON COLUMN tool_calls.created_at IS 'When it was asked for.';
COMMENT ON COLUMN tool_calls.expires_at IS 'Until when a person may approve it.';
COMMENT ON COLUMN tool_calls.touched_at IS 'When the server that cares for it last said so.';
COMMENT ON COLUMN tool_calls.started_at IS 'When the machine was told to run it.';
COMMENT ON COLUMN tool_calls.ended_at IS 'When its outcome was known; NULL while it is not.';
COMMENT ON COLUMN tool_calls.prompt_id IS 'The prompt in which a person decided.';
COMMENT ON COLUMN tool_calls.approved_by IS 'Who approved it, as the audit log names principals.';
COMMENT ON COLUMN tool_calls.is_error IS 'Whether the tool says that it failed; NULL without a result.';
COMMENT ON COLUMN tool_calls.code IS 'Why it has no result, as one word.';
COMMENT ON COLUMN tool_calls.message IS 'The same for people.';
COMMENT ON COLUMN tool_calls.result_bytes IS 'Bytes of the result.';
COMMENT ON COLUMN tool_calls.result IS 'The result as JSON, for a while if the caller did not wait for it.';
COMMENT ON COLUMN mcp_servers.failed_at IS 'Since when it fails, if it was known before; NULL otherwise.';

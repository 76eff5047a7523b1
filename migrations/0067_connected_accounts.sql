CREATE TABLE connected_accounts (
    id text PRIMARY KEY,
    api_key_id bigint NOT NULL REFERENCES api_keys ON DELETE CASCADE,
    user_id text NOT NULL,
    server_id text NOT NULL REFERENCES remote_mcp_servers ON DELETE CASCADE,
    alias text,
    state text NOT NULL CHECK (state IN ('initializing', 'initiated', 'active', 'failed', 'revoked')),
    reason text,
    link_sha256 bytea UNIQUE,
    link_expires_at timestamptz,
    callback_url text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);

CREATE INDEX connected_accounts_by_owner ON connected_accounts (api_key_id, user_id, server_id);
CREATE INDEX connected_accounts_by_age ON connected_accounts (created_at, id);

COMMENT ON TABLE connected_accounts IS 'Logins of the users of programs at remote MCP servers. Their tokens are in oauth_connections, with the id as account.';
COMMENT ON COLUMN connected_accounts.id IS 'Names the account to the program.';
COMMENT ON COLUMN connected_accounts.api_key_id IS 'The key of the program. No other key uses the account.';
COMMENT ON COLUMN connected_accounts.user_id IS 'The program''s name for the user. The account is used in calls for this user alone.';
COMMENT ON COLUMN connected_accounts.server_id IS 'The MCP server.';
COMMENT ON COLUMN connected_accounts.alias IS 'The program''s word for the account.';
COMMENT ON COLUMN connected_accounts.state IS 'initializing: there is a link; initiated: a person has followed it; active: there are tokens; revoked: the operator has removed them.';
COMMENT ON COLUMN connected_accounts.reason IS 'Why the last login failed, or why there are no tokens: a word.';
COMMENT ON COLUMN connected_accounts.link_sha256 IS 'The SHA-256 of the link''s token; NULL if the link was used.';
COMMENT ON COLUMN connected_accounts.link_expires_at IS 'Until when the link, or the login that it has begun, counts.';
COMMENT ON COLUMN connected_accounts.callback_url IS 'Where the browser goes after the login.';
COMMENT ON COLUMN connected_accounts.created_at IS 'When the program asked for the first link.';
COMMENT ON COLUMN connected_accounts.updated_at IS 'When the state last changed.';

ALTER TABLE oauth_connections ADD COLUMN wanted_scope text;

COMMENT ON COLUMN oauth_connections.wanted_scope IS 'The scope that the MCP server wants beyond that of the tokens, with spaces between; NULL if it wants none.';

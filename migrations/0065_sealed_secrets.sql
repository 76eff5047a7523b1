CREATE TABLE secret_keys (
    id text PRIMARY KEY,
    is_current boolean NOT NULL,
    made_at timestamptz NOT NULL
);

CREATE UNIQUE INDEX secret_keys_current ON secret_keys (is_current) WHERE is_current;

COMMENT ON TABLE secret_keys IS 'The keys that seal secrets in other tables. The keys themselves are in secrets.key of the data directory.';
COMMENT ON COLUMN secret_keys.id IS 'The id of the key, which is derived from it.';
COMMENT ON COLUMN secret_keys.is_current IS 'Whether new secrets are sealed with it; the others seal what is not resealed yet.';
COMMENT ON COLUMN secret_keys.made_at IS 'When it was first used.';

CREATE TABLE oauth_connections (
    server_id text NOT NULL REFERENCES remote_mcp_servers ON DELETE CASCADE,
    account text NOT NULL,
    state text NOT NULL CHECK (state IN ('connected', 'needs_login')),
    reason text,
    generation bigint NOT NULL,
    resource text NOT NULL,
    issuer text NOT NULL,
    token_endpoint text NOT NULL,
    revocation_endpoint text,
    client_id text NOT NULL,
    client_secret bytea,
    secret_in_form boolean NOT NULL,
    scope text,
    access_token bytea,
    refresh_token bytea,
    expires_at timestamptz,
    refreshing_until timestamptz,
    connected_by text NOT NULL,
    connected_at timestamptz NOT NULL,
    refreshed_at timestamptz,
    PRIMARY KEY (server_id, account)
);

COMMENT ON TABLE oauth_connections IS 'The tokens with which the server calls MCP servers that ask for OAuth.';
COMMENT ON COLUMN oauth_connections.server_id IS 'The MCP server.';
COMMENT ON COLUMN oauth_connections.account IS 'Whose login it is; empty for the one that all who may use the server share.';
COMMENT ON COLUMN oauth_connections.state IS 'needs_login: a person must log in again.';
COMMENT ON COLUMN oauth_connections.reason IS 'Why a login is needed: a word.';
COMMENT ON COLUMN oauth_connections.generation IS 'Raised by each change of the tokens.';
COMMENT ON COLUMN oauth_connections.resource IS 'The resource that the tokens are for (RFC 8707). They are sent nowhere else.';
COMMENT ON COLUMN oauth_connections.issuer IS 'The authorization server that issued them.';
COMMENT ON COLUMN oauth_connections.token_endpoint IS 'Where that server refreshes them.';
COMMENT ON COLUMN oauth_connections.revocation_endpoint IS 'Where that server revokes them (RFC 7009).';
COMMENT ON COLUMN oauth_connections.client_id IS 'The id under which that server knows this one.';
COMMENT ON COLUMN oauth_connections.client_secret IS 'Sealed.';
COMMENT ON COLUMN oauth_connections.secret_in_form IS 'Whether the secret goes into the form, and not into the header Authorization.';
COMMENT ON COLUMN oauth_connections.scope IS 'The scope of the tokens, with spaces between.';
COMMENT ON COLUMN oauth_connections.access_token IS 'Sealed; NULL if it is known to be refused.';
COMMENT ON COLUMN oauth_connections.refresh_token IS 'Sealed.';
COMMENT ON COLUMN oauth_connections.expires_at IS 'When the access token expires; NULL if the server did not say.';
COMMENT ON COLUMN oauth_connections.refreshing_until IS 'Until when one of the servers alone refreshes the tokens.';
COMMENT ON COLUMN oauth_connections.connected_by IS 'Who logged in, as the audit log names principals.';
COMMENT ON COLUMN oauth_connections.connected_at IS 'When.';
COMMENT ON COLUMN oauth_connections.refreshed_at IS 'When the tokens were last refreshed.';

CREATE TABLE oauth_logins (
    state_sha256 bytea PRIMARY KEY,
    server_id text NOT NULL REFERENCES remote_mcp_servers ON DELETE CASCADE,
    account text NOT NULL,
    browser_sha256 bytea NOT NULL,
    login bytea NOT NULL,
    started_by text NOT NULL,
    expires_at timestamptz NOT NULL
);

COMMENT ON TABLE oauth_logins IS 'Logins that have begun: the browser is at an authorization server.';
COMMENT ON COLUMN oauth_logins.state_sha256 IS 'The SHA-256 of the state with which the browser comes back.';
COMMENT ON COLUMN oauth_logins.server_id IS 'The MCP server.';
COMMENT ON COLUMN oauth_logins.account IS 'Whose login it will be.';
COMMENT ON COLUMN oauth_logins.browser_sha256 IS 'The SHA-256 of the cookie of the browser in which the login began.';
COMMENT ON COLUMN oauth_logins.login IS 'What the token request needs, with the PKCE verifier: sealed.';
COMMENT ON COLUMN oauth_logins.started_by IS 'Who began it, as the audit log names principals.';
COMMENT ON COLUMN oauth_logins.expires_at IS 'Until when the browser may come back.';

CREATE TABLE oauth_clients (
    issuer text NOT NULL,
    redirect_uri text NOT NULL,
    client_id text NOT NULL,
    client_secret bytea,
    expires_at timestamptz,
    registered_at timestamptz NOT NULL,
    PRIMARY KEY (issuer, redirect_uri)
);

COMMENT ON TABLE oauth_clients IS 'The registrations of this server at authorization servers (RFC 7591).';
COMMENT ON COLUMN oauth_clients.issuer IS 'The authorization server.';
COMMENT ON COLUMN oauth_clients.redirect_uri IS 'The address to which it sends browsers back.';
COMMENT ON COLUMN oauth_clients.client_id IS 'The id that it gave.';
COMMENT ON COLUMN oauth_clients.client_secret IS 'Sealed; NULL for a public client.';
COMMENT ON COLUMN oauth_clients.expires_at IS 'When the secret expires; NULL if never.';
COMMENT ON COLUMN oauth_clients.registered_at IS 'When.';

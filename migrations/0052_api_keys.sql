CREATE TABLE api_keys (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    prefix text NOT NULL,
    sha256 bytea NOT NULL UNIQUE CHECK (length(sha256) = 32),
    grants text NOT NULL,
    models text,
    daily_budget double precision,
    requests_per_minute bigint,
    expires_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by text NOT NULL,
    last_used_at timestamptz,
    revoked_at timestamptz
);

CREATE UNIQUE INDEX api_keys_by_name ON api_keys (name) WHERE revoked_at IS NULL;

COMMENT ON TABLE api_keys IS 'The keys of programs.';
COMMENT ON COLUMN api_keys.name IS 'The operator''s word for the program. No two valid keys have the same.';
COMMENT ON COLUMN api_keys.prefix IS 'The first characters of the key, by which a person recognizes it.';
COMMENT ON COLUMN api_keys.sha256 IS 'SHA-256 of the whole key, which is not stored.';
COMMENT ON COLUMN api_keys.grants IS 'Capabilities as words, with the numbers of the machines that each covers: ''read chat:3,7''. Without numbers: all machines.';
COMMENT ON COLUMN api_keys.models IS 'The models that requests may name, with spaces between; NULL: any.';
COMMENT ON COLUMN api_keys.daily_budget IS 'US dollars that the key may spend in a day; NULL: any sum.';
COMMENT ON COLUMN api_keys.requests_per_minute IS 'The key''s own rate limit; NULL: that of all credentials.';
COMMENT ON COLUMN api_keys.expires_at IS 'The time from which the key is refused; NULL: never.';
COMMENT ON COLUMN api_keys.created_by IS 'Who made the key, as the audit log names principals.';
COMMENT ON COLUMN api_keys.last_used_at IS 'About when the key was last accepted.';
COMMENT ON COLUMN api_keys.revoked_at IS 'When the key was revoked; NULL while it is valid.';

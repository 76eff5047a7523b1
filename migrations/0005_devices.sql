CREATE TABLE pairings (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    code_sha256 bytea NOT NULL UNIQUE CHECK (octet_length(code_sha256) = 32),
    token_sha256 bytea NOT NULL UNIQUE CHECK (octet_length(token_sha256) = 32),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    code_used_at timestamptz,
    used_at timestamptz
);

COMMENT ON TABLE pairings IS 'Invitations to pair one device, each with a short code for people and a long token for programs.';
COMMENT ON COLUMN pairings.id IS 'Internal number; whoever made the invitation follows it by this.';
COMMENT ON COLUMN pairings.code_sha256 IS 'SHA-256 of the short code, in its plain form.';
COMMENT ON COLUMN pairings.token_sha256 IS 'SHA-256 of the long token; another one replaces it when the code is turned in for a token.';
COMMENT ON COLUMN pairings.created_at IS 'When the operator made it.';
COMMENT ON COLUMN pairings.expires_at IS 'From when on neither code nor token is accepted.';
COMMENT ON COLUMN pairings.code_used_at IS 'When the code was turned in for a token; NULL if it was not.';
COMMENT ON COLUMN pairings.used_at IS 'When a device was paired with it; NULL if none was.';

CREATE TABLE devices (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    pairing_id bigint NOT NULL UNIQUE REFERENCES pairings (id),
    name text NOT NULL,
    owner text,
    platform text,
    created_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    revoked_at timestamptz
);

COMMENT ON TABLE devices IS 'Phones, browsers and other programs that were paired to read and subscribe.';
COMMENT ON COLUMN devices.id IS 'Internal number; the subject of the device''s access tokens.';
COMMENT ON COLUMN devices.pairing_id IS 'The invitation it came in by.';
COMMENT ON COLUMN devices.name IS 'The name that it gave itself.';
COMMENT ON COLUMN devices.owner IS 'Whose device it is; NULL: the operator''s.';
COMMENT ON COLUMN devices.platform IS 'What it runs on, in its own words; NULL where it said nothing.';
COMMENT ON COLUMN devices.created_at IS 'When it was paired.';
COMMENT ON COLUMN devices.last_seen_at IS 'When it last got tokens.';
COMMENT ON COLUMN devices.revoked_at IS 'Since when all its tokens are refused; NULL while it is not revoked.';

CREATE TABLE refresh_families (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    device_id bigint NOT NULL REFERENCES devices (id),
    generation bigint NOT NULL,
    rotated_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    revoked_at timestamptz,
    revoked_because text
);

CREATE INDEX refresh_families_device ON refresh_families (device_id) WHERE revoked_at IS NULL;

COMMENT ON TABLE refresh_families IS 'One line of refresh tokens, each got for the one before. Access tokens count while a family of their device is not revoked.';
COMMENT ON COLUMN refresh_families.id IS 'Internal number.';
COMMENT ON COLUMN refresh_families.device_id IS 'The device that the tokens are for.';
COMMENT ON COLUMN refresh_families.generation IS 'Generation of the tokens that may be used now; the first is 1.';
COMMENT ON COLUMN refresh_families.rotated_at IS 'When that generation began.';
COMMENT ON COLUMN refresh_families.created_at IS 'When the first token was given out.';
COMMENT ON COLUMN refresh_families.revoked_at IS 'Since when none of its tokens is accepted; NULL while it is not revoked.';
COMMENT ON COLUMN refresh_families.revoked_because IS 'reuse, signed_out or device_revoked; NULL while it is not revoked.';

CREATE TABLE refresh_tokens (
    sha256 bytea PRIMARY KEY CHECK (octet_length(sha256) = 32),
    family_id bigint NOT NULL REFERENCES refresh_families (id),
    generation bigint NOT NULL,
    issued_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);

CREATE INDEX refresh_tokens_family ON refresh_tokens (family_id, expires_at);

COMMENT ON TABLE refresh_tokens IS 'Refresh tokens that have not expired, used ones included: so that a second use is noticed.';
COMMENT ON COLUMN refresh_tokens.sha256 IS 'SHA-256 of the whole token.';
COMMENT ON COLUMN refresh_tokens.family_id IS 'Its family.';
COMMENT ON COLUMN refresh_tokens.generation IS 'Its place in the family; one that is behind the family''s has been used.';
COMMENT ON COLUMN refresh_tokens.issued_at IS 'When it was given out.';
COMMENT ON COLUMN refresh_tokens.expires_at IS 'From when on it is not accepted.';

CREATE TABLE access_audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    object text,
    result text NOT NULL,
    peer text NOT NULL,
    request_id text NOT NULL
);

COMMENT ON TABLE access_audit IS 'What was granted, refused and revoked. Rows are added and never changed.';
COMMENT ON COLUMN access_audit.id IS 'Internal number, in the order of writing.';
COMMENT ON COLUMN access_audit.at IS 'When it happened.';
COMMENT ON COLUMN access_audit.actor IS 'Who asked: admin, device:ID or anonymous.';
COMMENT ON COLUMN access_audit.action IS 'What was asked: pairing.create, pairing.code, pairing.exchange, token.refresh, token.revoke, device.revoke.';
COMMENT ON COLUMN access_audit.object IS 'What it was about: pairing:ID, device:ID; NULL where it is not known.';
COMMENT ON COLUMN access_audit.result IS 'granted, or why it was not: one word.';
COMMENT ON COLUMN access_audit.peer IS 'The address it came from; empty for a unix socket.';
COMMENT ON COLUMN access_audit.request_id IS 'The request, as the log and the answer name it.';

CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'access_audit is append-only';
END
$$;

COMMENT ON FUNCTION refuse_audit_change() IS 'Keeps access_audit append-only.';

CREATE TRIGGER access_audit_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON access_audit
FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

ALTER TABLE pairings
    ADD COLUMN requested_at timestamptz,
    ADD COLUMN request_name text,
    ADD COLUMN request_platform text,
    ADD COLUMN request_peer text,
    ADD COLUMN decision text CHECK (decision IN ('approved', 'rejected')),
    ADD COLUMN decided_at timestamptz;

COMMENT ON COLUMN pairings.requested_at IS 'When a device first showed the code or token and had to wait for approval; NULL if none did.';
COMMENT ON COLUMN pairings.request_name IS 'The name that this device gave itself.';
COMMENT ON COLUMN pairings.request_platform IS 'What it runs on, in its own words; NULL where it said nothing.';
COMMENT ON COLUMN pairings.request_peer IS 'The address it came from; nobody from another address can go on with its request.';
COMMENT ON COLUMN pairings.decision IS 'approved or rejected; NULL while nobody has decided.';
COMMENT ON COLUMN pairings.decided_at IS 'When that was decided.';

CREATE TABLE apple_identities (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subject text NOT NULL UNIQUE,
    email text,
    allowed_email text UNIQUE,
    pairing_id bigint UNIQUE REFERENCES pairings (id),
    bound_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL
);

COMMENT ON TABLE apple_identities IS 'People who may sign in with Apple, each since their first sign-in.';
COMMENT ON COLUMN apple_identities.id IS 'Internal number.';
COMMENT ON COLUMN apple_identities.subject IS 'Apple''s name for the person in the developer team; never another''s.';
COMMENT ON COLUMN apple_identities.email IS 'The latest address that Apple had verified, perhaps of its relay; NULL where none was told.';
COMMENT ON COLUMN apple_identities.allowed_email IS 'The address of the allowlist that let the person in; nobody else gets in by it. NULL: another way.';
COMMENT ON COLUMN apple_identities.pairing_id IS 'The invitation that let the person in; NULL: the allowlist did.';
COMMENT ON COLUMN apple_identities.bound_at IS 'When the person first signed in.';
COMMENT ON COLUMN apple_identities.last_seen_at IS 'When the person last signed in.';

CREATE TABLE sign_in_nonces (
    sha256 bytea PRIMARY KEY CHECK (octet_length(sha256) = 32),
    expires_at timestamptz NOT NULL
);

COMMENT ON TABLE sign_in_nonces IS 'Attempts to sign in with Apple that have begun and not ended: each nonce is good once.';
COMMENT ON COLUMN sign_in_nonces.sha256 IS 'SHA-256 of the nonce.';
COMMENT ON COLUMN sign_in_nonces.expires_at IS 'From when on it is not accepted.';

ALTER TABLE devices
    ALTER COLUMN pairing_id DROP NOT NULL,
    ADD COLUMN apple_identity_id bigint REFERENCES apple_identities (id) ON DELETE SET NULL;

COMMENT ON COLUMN devices.pairing_id IS 'The invitation it came in by; NULL: its owner signed in with Apple.';
COMMENT ON COLUMN devices.apple_identity_id IS 'Its owner; NULL: it was paired, or the owner was removed.';
COMMENT ON COLUMN access_audit.actor IS 'Who asked: admin, device:ID, identity:ID, apple:SUBJECT for a person who was not let in, or anonymous.';
COMMENT ON COLUMN access_audit.action IS 'What was asked: pairing, token, device, key, apple or identity, a dot and what was done with it.';
COMMENT ON COLUMN access_audit.object IS 'What it was about: pairing:ID, device:ID, key:ID, identity:ID; NULL where it is not known.';

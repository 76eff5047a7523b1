CREATE TABLE machines (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    reported_name text,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_seen_at timestamptz
);

COMMENT ON TABLE machines IS 'Computers that post events. A machine comes into being with its first key.';
COMMENT ON COLUMN machines.id IS 'Internal number; events and sessions name the machine by it.';
COMMENT ON COLUMN machines.name IS 'The name given when its first key was created.';
COMMENT ON COLUMN machines.reported_name IS 'What the machine last called itself; NULL until its first event.';
COMMENT ON COLUMN machines.created_at IS 'When its first key was created.';
COMMENT ON COLUMN machines.last_seen_at IS 'When an event of it was last received, to within a minute.';

CREATE TABLE access_keys (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    machine_id bigint NOT NULL REFERENCES machines (id),
    prefix text NOT NULL,
    sha256 bytea NOT NULL UNIQUE CHECK (octet_length(sha256) = 32),
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz,
    last_used_at timestamptz
);

COMMENT ON TABLE access_keys IS 'Machine keys. The key itself is not kept, only its digest.';
COMMENT ON COLUMN access_keys.id IS 'Internal number.';
COMMENT ON COLUMN access_keys.machine_id IS 'The machine that the key speaks for.';
COMMENT ON COLUMN access_keys.prefix IS 'First characters of the key, so that people can tell keys apart.';
COMMENT ON COLUMN access_keys.sha256 IS 'SHA-256 of the whole key.';
COMMENT ON COLUMN access_keys.created_at IS 'When the key was created.';
COMMENT ON COLUMN access_keys.revoked_at IS 'Since when the key is refused; NULL while it is valid.';
COMMENT ON COLUMN access_keys.last_used_at IS 'When the key was last accepted, to within a minute; NULL if never.';

CREATE TABLE device_grants (
    device_id bigint NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
    capability text NOT NULL CHECK (capability IN ('read', 'respond', 'control', 'administer')),
    machines bigint[],
    granted_at timestamptz NOT NULL,
    granted_by text,
    PRIMARY KEY (device_id, capability),
    CHECK (machines IS NULL OR capability IN ('respond', 'control'))
);

COMMENT ON TABLE device_grants IS 'What each device may do.';
COMMENT ON COLUMN device_grants.device_id IS 'The device.';
COMMENT ON COLUMN device_grants.capability IS 'What it may do; none of them implies another.';
COMMENT ON COLUMN device_grants.machines IS 'The machines that it covers; NULL: all, those that come later too.';
COMMENT ON COLUMN device_grants.granted_at IS 'When it was last granted.';
COMMENT ON COLUMN device_grants.granted_by IS 'Who granted it, as the audit log names them; NULL: the pairing, the sign-in or an earlier version.';

INSERT INTO device_grants (device_id, capability, granted_at) SELECT id, 'read', created_at FROM devices;

ALTER TABLE pairings
    ADD COLUMN capabilities text[] NOT NULL DEFAULT '{read}',
    ADD COLUMN machines bigint[];

COMMENT ON COLUMN pairings.capabilities IS 'What the device that comes in by it may do, as its maker said.';
COMMENT ON COLUMN pairings.machines IS 'The machines of those capabilities that are granted for machines; NULL: all.';

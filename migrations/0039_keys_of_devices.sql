ALTER TABLE access_keys ADD COLUMN device_id bigint REFERENCES devices (id);

CREATE INDEX access_keys_of_device ON access_keys (device_id) WHERE device_id IS NOT NULL;

COMMENT ON COLUMN access_keys.device_id IS 'The device that made it; NULL for keys that the operator made, and for older keys.';

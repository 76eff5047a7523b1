ALTER TABLE refresh_families ADD COLUMN is_browser boolean NOT NULL DEFAULT false;

UPDATE refresh_families f SET is_browser = true FROM devices d WHERE d.id = f.device_id AND d.platform = 'web';

COMMENT ON COLUMN refresh_families.is_browser IS 'The tokens are in a browser''s cookie, and count nowhere else.';

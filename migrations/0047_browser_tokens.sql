ALTER TABLE refresh_families
    ADD COLUMN is_browser boolean NOT NULL DEFAULT false,
    ADD COLUMN browser_sha256 bytea CHECK (octet_length(browser_sha256) = 32);

UPDATE refresh_families f SET is_browser = true FROM devices d WHERE d.id = f.device_id AND d.platform = 'web';

COMMENT ON COLUMN refresh_families.is_browser IS 'The tokens are in a browser''s cookie, and count nowhere else.';
COMMENT ON COLUMN refresh_families.browser_sha256 IS 'SHA-256 of the secret that the page keeps; NULL for programs, and for browsers of earlier versions, which must sign in again.';

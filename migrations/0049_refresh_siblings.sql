ALTER TABLE refresh_families ADD COLUMN valid_from bigint NOT NULL DEFAULT 1;

UPDATE refresh_families SET valid_from = generation;

COMMENT ON COLUMN refresh_families.valid_from IS 'The lowest generation whose token may be used now. Tokens from it on were given out for the same predecessor.';

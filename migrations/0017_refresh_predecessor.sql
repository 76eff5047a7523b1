ALTER TABLE refresh_families ADD COLUMN predecessor bigint;

UPDATE refresh_families SET predecessor = generation - 1;

ALTER TABLE refresh_families ALTER COLUMN predecessor SET NOT NULL;

COMMENT ON COLUMN refresh_families.predecessor IS 'Generation of the token whose use began the present generation; 0 before the first use.';
COMMENT ON COLUMN refresh_families.rotated_at IS 'When the predecessor was first used; when the first token was given out, before the first use.';

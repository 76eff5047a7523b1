ALTER TABLE access_audit ADD COLUMN attempts bigint NOT NULL DEFAULT 1 CHECK (attempts > 0);

COMMENT ON COLUMN access_audit.attempts IS 'How many refusals of one kind and hour the row stands for; time, address and request are those of the latest.';

CREATE INDEX push_notices_canary ON push_notices (id) WHERE kind = 'canary';

ALTER TABLE push_notices ADD COLUMN confirmed_at timestamptz;

COMMENT ON COLUMN push_notices.confirmed_at IS 'When a later event showed that the prompt stands before a person; NULL if none did.';

ALTER TABLE push_activities ADD COLUMN claimed_by text;

COMMENT ON COLUMN push_activities.claimed_by IS 'The server process that is at it, or was last.';

ALTER TABLE pairings ADD COLUMN is_first boolean NOT NULL DEFAULT false;

-- Only the links of the server's start were valid for half an hour.
UPDATE pairings SET is_first = true WHERE expires_at - created_at > interval '10 minutes';

COMMENT ON COLUMN pairings.is_first IS 'Made by the server for the link that it prints at its start. The next start ends it.';

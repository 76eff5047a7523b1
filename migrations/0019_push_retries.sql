ALTER TABLE push_deliveries
    ADD COLUMN retries integer NOT NULL DEFAULT 0,
    ADD COLUMN too_large boolean NOT NULL DEFAULT false;

COMMENT ON COLUMN push_deliveries.retries IS 'How often the push service asked for another try later.';
COMMENT ON COLUMN push_deliveries.too_large IS 'The push service found it too large, so it is sent once more, smaller.';
COMMENT ON COLUMN push_deliveries.reason IS 'The same for a person; NULL: the sentence of the code.';

-- Withdrawn deliveries had kept the sentence of their last wait, and expired ones its code.
UPDATE push_deliveries SET reason = NULL WHERE state = 'withdrawn' AND reason IS NOT NULL;
UPDATE push_deliveries SET code = 'expired' WHERE state = 'expired' AND code <> 'expired';

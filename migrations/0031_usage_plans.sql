-- As one NOT EXISTS the condition is an anti join, which several processes can share; beside other conditions it was a
-- subplan, which they cannot. Only requests of transcripts without an id have a key to look up.
CREATE OR REPLACE VIEW usage_counted AS
SELECT * FROM usage_requests u
WHERE NOT EXISTS (
    SELECT FROM usage_requests o
    WHERE o.session_id = CASE WHEN u.sources = 2 AND u.request_id IS NULL THEN u.session_id END
        AND o.sources = 1 AND o.request_id IS NULL);

-- Without them the planner expects as many days as requests, and sorts all of them on disk.
CREATE STATISTICS usage_requests_days
    ON (date_bin('1 day', at, timestamptz '2000-01-01 00:00:00Z')) FROM usage_requests;
CREATE STATISTICS usage_requests_hours
    ON (date_bin('1 hour', at, timestamptz '2000-01-01 00:00:00Z')) FROM usage_requests;

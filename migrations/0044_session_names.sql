ALTER TABLE sessions
    ADD COLUMN title text,
    ADD COLUMN is_pinned boolean NOT NULL DEFAULT false,
    ADD COLUMN is_archived boolean NOT NULL DEFAULT false;

COMMENT ON COLUMN sessions.title IS 'The name that a person gave, else the client''s title, else the first prompt, else the directory.';
COMMENT ON COLUMN sessions.is_pinned IS 'A person keeps it at the top of lists.';
COMMENT ON COLUMN sessions.is_archived IS 'A person took it out of the lists; its next prompt brings it back.';

CREATE VIEW session_costs AS
SELECT u.session_id, CASE
    WHEN t.session_id IS NULL OR EXISTS (
        SELECT FROM usage_copies c LEFT JOIN usage_requests o USING (key, machine_id)
        WHERE c.session_id = u.session_id AND o.session_id IS DISTINCT FROM c.session_id) THEN u.cost
    ELSE greatest(u.cost, t.cost) END AS cost
FROM (SELECT session_id, sum(cost) AS cost FROM usage_counted GROUP BY session_id) u
LEFT JOIN usage_sessions t USING (session_id)
UNION ALL
SELECT t.session_id, t.cost FROM usage_sessions t
WHERE NOT EXISTS (SELECT FROM usage_counted u WHERE u.session_id = t.session_id);

COMMENT ON VIEW session_costs IS 'US dollars of each session, for lists sorted by cost: the sum of its requests, or what the client itself says if that is more.';

UPDATE projections SET version = 5 WHERE name = 'sessions' AND seq = 0;

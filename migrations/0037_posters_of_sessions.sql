-- Only sessions that exist have posters, and each machine has a limited number.
DELETE FROM session_posters p
WHERE NOT EXISTS (SELECT FROM session_owners o WHERE o.session_id = p.session_id AND o.machine_id = p.machine_id);

CREATE INDEX session_posters_by_machine ON session_posters (machine_id, seen_at DESC);

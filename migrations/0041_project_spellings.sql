-- Joins projects whose directories are one directory in several spellings. DirectoryPath.swift has the same rules.
CREATE FUNCTION pg_temp.canonical_directory(given text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    directory text := given;
    root text := '';
    separator text := '/';
    part text;
    parts text[] := '{}';
BEGIN
    IF current_setting('server_encoding') = 'UTF8' THEN
        directory := normalize(directory, NFC);
    END IF;
    IF left(directory, 2) = '\\' THEN
        root := '\\';
        separator := '\';
        directory := substr(directory, 3);
    ELSIF directory ~ '^[A-Za-z]:[\\/]' THEN
        root := upper(left(directory, 1)) || ':\';
        separator := '\';
        directory := substr(directory, 4);
    ELSIF left(directory, 1) = '/' THEN
        root := '/';
        directory := substr(directory, 2);
    END IF;
    IF separator = '\' THEN
        directory := replace(directory, '/', '\');
    END IF;
    FOREACH part IN ARRAY string_to_array(directory, separator) LOOP
        IF part IN ('', '.') THEN
            CONTINUE;
        ELSIF part <> '..' THEN
            parts := parts || part;
        ELSIF cardinality(parts) > 0 AND parts[cardinality(parts)] <> '..' THEN
            parts := parts[1:cardinality(parts) - 1];
        ELSIF root = '' THEN
            parts := parts || part;
        END IF;
    END LOOP;
    directory := root || array_to_string(parts, separator);
    RETURN CASE WHEN directory = '' AND given <> '' THEN '.' ELSE directory END;
END
$$;

CREATE TEMPORARY TABLE respelled ON COMMIT DROP AS
SELECT old_id, id FROM (
    SELECT w.id AS old_id, 'ws-' || encode(substring(sha256(
        convert_to(w.machine_id::text, 'UTF8') || '\x00'::bytea
        || convert_to(pg_temp.canonical_directory(w.path), 'UTF8')) FROM 1 FOR 10), 'hex') AS id
    FROM workspaces w WHERE w.machine_id IS NOT NULL AND w.path IS NOT NULL
) AS named WHERE old_id <> id;

-- What a person has changed counts, else the row that was used last.
INSERT INTO workspaces (id, machine_id, path, name, description, settings, created_at, last_activity_at, updated_at,
    hidden_at_seq)
SELECT DISTINCT ON (r.id) r.id, w.machine_id, w.path, w.name, w.description, w.settings, w.created_at,
    w.last_activity_at, w.updated_at, w.hidden_at_seq
FROM respelled r JOIN workspaces w ON w.id = r.old_id
ORDER BY r.id, w.updated_at DESC NULLS LAST, w.last_activity_at DESC
ON CONFLICT (id) DO UPDATE SET (name, description, settings, updated_at)
    = (excluded.name, excluded.description, excluded.settings, excluded.updated_at)
    WHERE excluded.updated_at > coalesce(workspaces.updated_at, '-infinity');

UPDATE workspaces w SET created_at = least(w.created_at, joined.created_at),
    last_activity_at = greatest(w.last_activity_at, joined.last_activity_at),
    hidden_at_seq = CASE WHEN NOT joined.is_shown THEN w.hidden_at_seq END
FROM (
    SELECT r.id, min(o.created_at) AS created_at, max(o.last_activity_at) AS last_activity_at,
        bool_or(o.hidden_at_seq IS NULL) AS is_shown
    FROM respelled r JOIN workspaces o ON o.id = r.old_id GROUP BY r.id
) AS joined
WHERE w.id = joined.id;

DELETE FROM workspaces w USING respelled r WHERE w.id = r.old_id;

UPDATE events e SET workspace_id = r.id FROM respelled r WHERE e.workspace_id = r.old_id;
UPDATE sessions s SET workspace_id = r.id FROM respelled r WHERE s.workspace_id = r.old_id;
UPDATE usage_requests u SET workspace_id = r.id FROM respelled r WHERE u.workspace_id = r.old_id;
UPDATE search_events s SET workspace_id = r.id FROM respelled r WHERE s.workspace_id = r.old_id;
UPDATE push_activities a SET workspace_id = r.id FROM respelled r WHERE a.workspace_id = r.old_id;

WITH moved AS (
    DELETE FROM event_counts c USING respelled r WHERE c.workspace_id = r.old_id
    RETURNING c.day, c.machine_id, r.id, c.tool_name, c.events, c.prompts, c.tool_calls, c.tool_failures
)
INSERT INTO event_counts AS c (day, machine_id, workspace_id, tool_name, events, prompts, tool_calls, tool_failures)
SELECT day, machine_id, id, tool_name, sum(events), sum(prompts), sum(tool_calls), sum(tool_failures)
FROM moved GROUP BY day, machine_id, id, tool_name
ON CONFLICT (day, machine_id, workspace_id, tool_name) DO UPDATE SET
    events = c.events + excluded.events, prompts = c.prompts + excluded.prompts,
    tool_calls = c.tool_calls + excluded.tool_calls, tool_failures = c.tool_failures + excluded.tool_failures;

INSERT INTO push_preferences (scope, subject, settings, updated_at)
SELECT DISTINCT ON (r.id) p.scope, r.id, p.settings, p.updated_at
FROM push_preferences p JOIN respelled r ON p.scope = 'project' AND p.subject = r.old_id
ORDER BY r.id, p.updated_at DESC
ON CONFLICT (scope, subject) DO NOTHING;
DELETE FROM push_preferences p USING respelled r WHERE p.scope = 'project' AND p.subject = r.old_id;

DROP TABLE respelled;
DROP FUNCTION pg_temp.canonical_directory(text);

-- On an empty log there is nothing to rebuild.
UPDATE projections SET version = 4 WHERE name = 'sessions' AND seq = 0;

-- The events of a day are only added to, and then never changed: one vacuum, when the day is over, marks and freezes them
-- for good. By its defaults PostgreSQL would begin one whenever the partition has grown by a fifth, while events are
-- committed to it: its own flushes of the write-ahead log then stand in the way of theirs.
CREATE FUNCTION postpone_vacuum(partition text) RETURNS void
    LANGUAGE plpgsql AS
$$
BEGIN
    EXECUTE format(
        'ALTER TABLE %I SET (autovacuum_vacuum_insert_threshold = -1, toast.autovacuum_vacuum_insert_threshold = -1, '
        'autovacuum_freeze_min_age = 0, toast.autovacuum_freeze_min_age = 0, autovacuum_analyze_scale_factor = 1)',
        partition);
END
$$;

COMMENT ON FUNCTION postpone_vacuum(text) IS
    'No vacuum of a partition before release_vacuum, statistics each time it has doubled.';

CREATE FUNCTION release_vacuum(today date) RETURNS bigint
    LANGUAGE plpgsql AS
$$
DECLARE
    partition text;
    released bigint := 0;
BEGIN
    FOR partition IN
        SELECT event_partition_name(day) FROM event_partition_days() AS day
        JOIN pg_class ON oid = to_regclass(event_partition_name(day))
        WHERE day < today AND reloptions @> ARRAY['autovacuum_vacuum_insert_threshold=-1']
    LOOP
        EXECUTE format(
            'ALTER TABLE %I RESET (autovacuum_vacuum_insert_threshold, toast.autovacuum_vacuum_insert_threshold)',
            partition);
        released := released + 1;
    END LOOP;
    RETURN released;
END
$$;

COMMENT ON FUNCTION release_vacuum(date) IS
    'Leaves the partitions of the days before to autovacuum, which vacuums them within minutes. Returns how many.';

CREATE OR REPLACE FUNCTION create_event_partition(day date) RETURNS boolean
    LANGUAGE plpgsql AS
$$
DECLARE
    partition text := event_partition_name(day);
    lower_bound timestamptz := day::timestamp AT TIME ZONE 'UTC';
    upper_bound timestamptz := (day + 1)::timestamp AT TIME ZONE 'UTC';
BEGIN
    -- Two server nodes may both be at it.
    PERFORM pg_advisory_xact_lock(hashtext('create_event_partition'));
    IF to_regclass(partition) IS NOT NULL THEN
        RETURN false;
    END IF;
    -- Attaching, unlike CREATE TABLE ... PARTITION OF, does not lock readers and writers of the other partitions out.
    EXECUTE format('CREATE TABLE %I (LIKE events INCLUDING ALL)', partition);
    PERFORM postpone_vacuum(partition);
    EXECUTE format('COMMENT ON TABLE %I IS %L', partition, 'Events received on ' || day || ' (UTC).');
    IF EXISTS (SELECT FROM events_default WHERE received_at >= lower_bound AND received_at < upper_bound) THEN
        LOCK TABLE events_default IN ACCESS EXCLUSIVE MODE;
        EXECUTE format(
            'WITH moved AS (DELETE FROM events_default WHERE received_at >= $1 AND received_at < $2 RETURNING *) '
            'INSERT INTO %I SELECT * FROM moved', partition)
            USING lower_bound, upper_bound;
    END IF;
    EXECUTE format('ALTER TABLE events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        partition, lower_bound, upper_bound);
    RETURN true;
END
$$;

SELECT postpone_vacuum(event_partition_name(day)) FROM event_partition_days() AS day
WHERE day >= (now() AT TIME ZONE 'UTC')::date;

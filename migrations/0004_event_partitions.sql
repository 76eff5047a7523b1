CREATE FUNCTION event_partition_name(day date) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN 'events_' || to_char(day, 'YYYYMMDD');

COMMENT ON FUNCTION event_partition_name(date) IS 'The partition of events that holds a day.';

CREATE FUNCTION create_event_partition(day date) RETURNS boolean
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

COMMENT ON FUNCTION create_event_partition(date) IS
    'Makes a day''s partition and moves its events out of the default one. False: it was there.';

CREATE FUNCTION event_partition_days() RETURNS SETOF date
    LANGUAGE sql STABLE
    BEGIN ATOMIC
        SELECT to_date(substr(c.relname, 8), 'YYYYMMDD')
        FROM pg_inherits i
        JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'events'::regclass AND c.relname ~ '^events_[0-9]{8}$'
        ORDER BY 1;
    END;

COMMENT ON FUNCTION event_partition_days() IS 'The days that have a partition, oldest first.';

CREATE FUNCTION forget_event_ids(day date) RETURNS bigint
    LANGUAGE plpgsql AS
$$
DECLARE
    forgotten bigint;
BEGIN
    EXECUTE format('DELETE FROM event_ids i USING %I e WHERE e.event_id = i.event_id', event_partition_name(day));
    GET DIAGNOSTICS forgotten = ROW_COUNT;
    RETURN forgotten;
END
$$;

COMMENT ON FUNCTION forget_event_ids(date) IS 'Removes the ids of a day''s events, before its partition is dropped.';

CREATE FUNCTION drop_event_partition(day date) RETURNS void
    LANGUAGE plpgsql AS
$$
BEGIN
    EXECUTE format('DROP TABLE IF EXISTS %I', event_partition_name(day));
END
$$;

COMMENT ON FUNCTION drop_event_partition(date) IS 'Drops a day''s events.';

CREATE FUNCTION purge_default_partition(before timestamptz) RETURNS bigint
    LANGUAGE sql
    BEGIN ATOMIC
        WITH purged AS (DELETE FROM events_default WHERE received_at < before RETURNING event_id),
            forgotten AS (DELETE FROM event_ids i USING purged p WHERE i.event_id = p.event_id)
        SELECT count(*) FROM purged;
    END;

COMMENT ON FUNCTION purge_default_partition(timestamptz) IS 'Removes expired events that never had a partition.';

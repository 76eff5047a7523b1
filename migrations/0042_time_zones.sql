ALTER TABLE event_counts ADD COLUMN quarter smallint NOT NULL DEFAULT 0 CHECK (quarter BETWEEN 0 AND 95);
ALTER TABLE event_counts DROP CONSTRAINT event_counts_pkey;
ALTER TABLE event_counts ADD PRIMARY KEY (day, quarter, machine_id, workspace_id, tool_name);

COMMENT ON COLUMN event_counts.quarter IS
    'The quarter of an hour of that day in which they were received. Days whose events were dropped before there were quarters have all of theirs in 0.';

CREATE FUNCTION zone_shift(at timestamptz, zone text) RETURNS interval
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (at AT TIME ZONE zone) - (at AT TIME ZONE 'UTC');

COMMENT ON FUNCTION zone_shift(timestamptz, text) IS 'How far the clocks of a time zone are ahead of UTC at a time.';

CREATE FUNCTION zone_spans(zone text, since timestamptz, until timestamptz)
    RETURNS TABLE (starts timestamptz, ends timestamptz, shift interval)
    LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 3 AS
$$
DECLARE
    place timestamptz := since;
    low timestamptz;
    high timestamptz;
    middle timestamptz;
BEGIN
    starts := since;
    shift := zone_shift(since, zone);
    WHILE zone <> 'UTC' AND place < until LOOP
        low := place;
        -- No zone changes its clocks twice in five days; some do within seven.
        high := least(place + interval '120 hours', until);
        place := high;
        CONTINUE WHEN zone_shift(high, zone) = shift;
        WHILE high - low > interval '1 second' LOOP
            middle := low + (high - low) / 2;
            IF zone_shift(middle, zone) = shift THEN
                low := middle;
            ELSE
                high := middle;
            END IF;
        END LOOP;
        -- Clocks change at a full second, after low and not after high.
        ends := date_bin('1 second', high, timestamptz '2000-01-01 00:00:00Z');
        IF ends <= starts OR zone_shift(ends, zone) = shift THEN
            RAISE 'the change of the clocks of % before % was not found', zone, high;
        END IF;
        RETURN NEXT;
        starts := ends;
        place := ends;
        shift := zone_shift(ends, zone);
    END LOOP;
    ends := until;
    RETURN NEXT;
END
$$;

COMMENT ON FUNCTION zone_spans(text, timestamptz, timestamptz) IS
    'The spans of a period in which the clocks of a time zone keep their distance from UTC, in order: one, and one more for each change of the clocks.';

-- On an empty log there is nothing to rebuild.
UPDATE projections SET version = 2 WHERE name = 'event_counts' AND seq = 0;

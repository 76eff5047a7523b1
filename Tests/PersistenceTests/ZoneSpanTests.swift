import DatabaseSamples
import Testing

@testable import Persistence

@Suite("Spans of a time zone")
struct ZoneSpanTests {
    private static let compare = """
        SELECT name || ' ' || starts || ' ' || ends || ' ' || shift FROM (
            SELECT name, starts, ends, shift, lag(ends) OVER w AS last_end, lag(shift) OVER w AS last_shift,
                lead(starts) OVER w AS next_start
            FROM spans WINDOW w AS (PARTITION BY name ORDER BY starts)
        ) AS s
        WHERE ends <= starts OR shift IS NULL OR shift = last_shift
            OR starts <> coalesce(last_end, timestamptz '1970-01-01Z')
            OR coalesce(next_start, timestamptz '2040-01-01Z') <> ends
            OR shift <> zone_shift(starts, name) OR shift <> zone_shift(ends - interval '1 microsecond', name)
        """

    @Test("follow each other without a gap in every zone, from change to change of its clocks")
    func everyZone() throws {
        let database = try TestDatabase()
        let connection = try database.connect()
        try connection.execute(
            """
            SET statement_timeout = '25s'; SET jit = off;
            CREATE TEMPORARY TABLE spans AS SELECT n.name, s.* FROM pg_timezone_names AS n,
                zone_spans(n.name, timestamptz '1970-01-01Z', timestamptz '2040-01-01Z') AS s
            WHERE n.name NOT LIKE 'posix/%'
            """,
            as: "spans"
        )
        let zones: Int64? = try connection.query(
            Statement("zones", "SELECT count(DISTINCT name)::bigint FROM spans")
        ).firstValue()
        #expect(zones ?? 0 > 300)
        let faults: [String] = try connection.query(Statement("compare", ZoneSpanTests.compare)).values()
        #expect(faults == [])
    }

    @Test(
        "have the changes within a minute and those that follow within a week",
        arguments: [
            (
                "Africa/Monrovia", "1972-01-01", "1972-01-31",
                ["1972-01-07 00:44:30 -00:44:30", "1972-01-31 00:00:00 00:00:00"]
            ),
            (
                "America/Boa_Vista", "2000-10-08 03:30", "2000-11-01",
                ["2000-10-08 04:00:00 -04:00:00", "2000-10-15 03:00:00 -03:00:00", "2000-11-01 00:00:00 -04:00:00"]
            ),
        ]
    )
    func closeChanges(zone: String, since: String, until: String, spans: [String]) throws {
        let database = try TestDatabase()
        try database.execute("ALTER DATABASE \(database.name) SET statement_timeout = '10s'")
        let found = try database.texts(
            """
            SELECT (ends AT TIME ZONE 'UTC') || ' ' || shift
            FROM zone_spans('\(zone)', timestamptz '\(since)Z', timestamptz '\(until)Z') ORDER BY starts
            """
        )
        #expect(found == spans)
    }
}

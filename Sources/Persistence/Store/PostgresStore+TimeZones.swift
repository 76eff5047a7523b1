package import EventModel
internal import Synchronization

/// Time zones and their days, as PostgreSQL knows them.
extension PostgresStore {
    package func knows(_ zone: TimeZoneName) async throws(PersistenceError) -> Bool {
        guard zone != .utc, !timeZones.contains(zone) else { return true }
        let exists = try await run { connection throws(PersistenceError) -> Bool in
            let found: Int64? =
                try connection.query(TimeZoneStatements.knows, Parameters(of: zone.text)).firstValue()
            return found != nil
        }
        if exists { timeZones.add(zone) }
        return exists
    }

    /// - Parameters:
    ///   - later: how many days later; negative for earlier.
    ///   - zone: one that exists.
    package func localDay(
        _ choice: LocalDay.Choice,
        later: Int64 = 0,
        in zone: TimeZoneName
    ) async throws(PersistenceError) -> LocalDay {
        if zone == .utc, let day = LocalDay(utc: choice, later: later) { return day }
        let (date, time): (String?, Timestamp?) =
            switch choice {
            case .date(let date): (date, nil)
            case .containing(let time): (nil, time)
            }
        return try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: date, time, later, zone.text)
            let rows = try connection.query(TimeZoneStatements.day, parameters).rows
            for row in rows { return try row.make(from: 0, LocalDay.init(start:end:number:date:)) }
            throw PersistenceError(.malformedReply, "a day has no row")
        }
    }
}

/// The zones that are known to exist; looking one up takes a tenth of a second. Bounded by the number of zones.
final class KnownTimeZones: Sendable {
    private let names = Mutex<Set<TimeZoneName>>([])

    func contains(_ zone: TimeZoneName) -> Bool { names.withLock { $0.contains(zone) } }

    func add(_ zone: TimeZoneName) { names.withLock { _ = $0.insert(zone) } }
}

private enum TimeZoneStatements {
    /// Without abbreviations, which are no names of places.
    static let knows = Statement(
        "time_zone_exists",
        [.text],
        "SELECT 1::bigint FROM pg_timezone_names WHERE name = $1"
    )

    static let day = Statement(
        "local_day",
        [.text, .timestamptz, .int8, .text],
        """
        SELECT day::timestamp AT TIME ZONE $4, (day + 1)::timestamp AT TIME ZONE $4, (day - date '1970-01-01')::bigint,
            to_char(day, 'YYYY-MM-DD')
        FROM (SELECT coalesce($1::date, ($2 AT TIME ZONE $4)::date) + $3::integer AS day) AS chosen
        """
    )
}

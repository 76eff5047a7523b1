internal import API
internal import EventModel
package import HTTPModel
internal import Persistence

extension QueryParameter {
    static let timezone = text(
        "timezone",
        matching: "^[A-Za-z][A-Za-z0-9/_+-]{0,63}$",
        "The IANA name of the time zone of days and hours, as Europe/Berlin; UTC unless it is given."
    )
}

extension APIError {
    package static let unknownTimeZone = APIError.invalid(
        "invalid_parameter",
        "'timezone' must be the IANA name of a time zone, such as Europe/Berlin.",
        param: "timezone"
    )
}

extension StoreAccess {
    /// Throws 400 `invalid_parameter` if there is no such time zone.
    func check(_ zone: TimeZoneName) async throws(APIError) {
        let exists = try await use { store throws(PersistenceError) in try await store.knows(zone) }
        guard exists else { throw .unknownTimeZone }
    }

    /// - Parameter later: how many days later; negative for earlier.
    func localDay(_ choice: LocalDay.Choice, later: Int64, in zone: TimeZoneName) async throws(APIError) -> LocalDay {
        try await check(zone)
        return try await use { store throws(PersistenceError) in
            try await store.localDay(choice, later: later, in: zone)
        }
    }
}

extension QueryParameters {
    /// The time zone of the request; UTC if it names none. The store knows whether it exists.
    func timezone() throws(APIError) -> TimeZoneName {
        guard let text = self["timezone"] else { return .utc }
        guard let zone = TimeZoneName(text) else { throw .unknownTimeZone }
        return zone
    }

    /// A time, or a date, which means the beginning of that day of the zone.
    ///
    /// - Parameter addingDay: whether a date means the end of that day instead.
    func time(
        _ name: String,
        addingDay: Bool = false,
        in zone: TimeZoneName,
        _ database: any StoreAccess
    ) async throws(APIError) -> Timestamp? {
        guard zone != .utc, let text = self[name], Timestamp(rfc3339: text) == nil else {
            return try time(name, addingDay: addingDay)
        }
        // Refuses what is no date.
        _ = try time(name)
        let day = try await database.localDay(.date(text), later: 0, in: zone)
        return addingDay ? day.end : day.start
    }
}

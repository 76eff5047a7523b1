public import HTTPModel

/// What became of an event that was submitted.
public enum IngestOutcome: Sendable, Equatable {
    /// In the log, at this place.
    case accepted(seq: Int64)
    /// An event with this id was in the log already, at this place.
    case duplicate(seq: Int64)
    /// Durable on the server's disk; it has no place in the log before the database is back.
    case spooled
    /// Sending it again is of no use.
    case rejected(APIError)
    /// Not stored, as far as can be known; sending it again is safe.
    case unavailable(APIError)
}

extension APIError {
    public static func databaseUnavailable(retryAfter: Int) -> APIError {
        .unavailable(
            "database_unavailable",
            "The database cannot be reached now. Nothing was stored; try again.",
            retryAfter: retryAfter
        )
    }

    public static let unstorable = APIError.invalid("unstorable", "The database cannot store this.")

    static let queueFull = APIError.unavailable(
        "queue_full",
        "Too many events are waiting. Nothing was stored.",
        retryAfter: 1
    )
}

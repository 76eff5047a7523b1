package import HTTPModel

/// The outcome of a submitted event.
package enum IngestOutcome: Sendable, Equatable {
    /// The event is in the log, at this position.
    case accepted(seq: Int64)
    /// The log already held an event with this id, at this position.
    case duplicate(seq: Int64)
    /// The event is durable on the server's disk. It gets a position in the log when the database is back.
    case spooled
    /// Sending it again does not help.
    case rejected(APIError)
    /// The event is not known to be stored. Sending it again is safe.
    case unavailable(APIError)

    package var isInLog: Bool {
        switch self {
        case .accepted, .duplicate: true
        case .spooled, .rejected, .unavailable: false
        }
    }
}

extension APIError {
    static let queueFull = APIError.unavailable(
        "queue_full",
        "Too many events are waiting. Nothing was stored.",
        retryAfter: 1
    )
}

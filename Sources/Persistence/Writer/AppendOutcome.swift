/// What became of one event that was handed to `EventWriter.append`.
public enum AppendOutcome: Sendable, Equatable {
    /// In the log now, and not before.
    case accepted(seq: Int64)
    /// An event with this id is in the log already, at this place.
    case duplicate(seq: Int64)
    /// The database refuses this very event; sending it again is of no use.
    case rejected(PersistenceError)
    /// Not committed, as far as can be known; sending it again is safe. The time is in seconds.
    case unavailable(retryAfter: Int)

    public var isUnavailable: Bool {
        guard case .unavailable = self else { return false }
        return true
    }
}

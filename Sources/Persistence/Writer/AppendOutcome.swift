/// The outcome of one event passed to `EventWriter.append`.
package enum AppendOutcome: Sendable, Equatable {
    /// The event is new and in the log.
    case accepted(seq: Int64)
    /// The log already holds an event with this id, at this position.
    case duplicate(seq: Int64)
    /// The database rejects this event. Sending it again does not help.
    case rejected(PersistenceError)
    /// The event is not known to be committed. Sending it again is safe. The time is in seconds.
    case unavailable(retryAfter: Int)

    package var isUnavailable: Bool {
        guard case .unavailable = self else { return false }
        return true
    }
}

/// What became of the events of one `EventSpool.append`.
public enum SpoolOutcome: Sendable, Equatable {
    /// On disk, and fsync has said so.
    case durable
    /// Not kept: all that was spooled before them is committed by now. They may go to the database, if they do so
    /// before the completion returns; what is posted later goes behind them then.
    case notNeeded
    /// Not kept; sending them again is safe.
    case failed(SpoolError)
}

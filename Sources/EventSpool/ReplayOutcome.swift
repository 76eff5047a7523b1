/// What became of a replayed event.
public enum ReplayOutcome: Sendable, Equatable {
    /// In the database, now or before.
    case committed
    /// The database will never take it. The reason is safe to print.
    case rejected(String)
    /// Not now: it and those after it are offered again.
    case unavailable
}

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

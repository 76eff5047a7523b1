/// The outcome of one `EventSpool.append`.
package enum SpoolOutcome: Sendable, Equatable {
    /// On disk, after a successful fsync.
    case durable
    /// Not kept, because all events spooled before are committed. They may go to the database if they are submitted
    /// before the completion returns; later posts then follow them.
    case notNeeded
    /// Not kept. Sending them again is safe.
    case failed(SpoolError)
}

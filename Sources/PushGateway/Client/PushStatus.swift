public import EventModel

/// How a client is doing, for health and metrics. Counts are since the start.
public struct PushStatus: Sendable, Equatable {
    /// Services that are or lately were in use.
    public var origins = 0
    public var connections = 0
    public var queued = 0
    public var inFlight = 0
    /// Of the connection that allows most.
    public var streamLimit = 0

    public var connectionsOpened = 0
    public var connectionsFailed = 0
    public var goAways = 0
    public var pings = 0
    public var accepted = 0
    public var rejected = 0
    public var unsent = 0
    public var unknown = 0
    /// Pushes sent again, for whatever cause.
    public var retries = 0

    public var lastAcceptedAt: Timestamp?
    /// Why the last connection failed; `nil` once another has answered.
    public var lastFailure: String?
}

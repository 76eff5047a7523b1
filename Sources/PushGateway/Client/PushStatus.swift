public import EventModel

/// The state of a client, for health and metrics. Counts are since the start.
public struct PushStatus: Sendable, Equatable {
    /// Services in use now or recently.
    public var origins = 0
    public var connections = 0
    public var queued = 0
    public var inFlight = 0
    /// The highest limit of any connection.
    public var streamLimit = 0

    public var connectionsOpened = 0
    public var connectionsFailed = 0
    public var goAways = 0
    public var pings = 0
    public var accepted = 0
    public var rejected = 0
    public var unsent = 0
    public var unknown = 0
    /// Number of repeated pushes, for any cause.
    public var retries = 0

    public var lastAcceptedAt: Timestamp?
    /// Why the last connection failed; `nil` after another one has answered.
    public var lastFailure: String?
}

package import HTTPClient

/// Connection settings of a client. Times are in seconds.
public struct PushSettings: Sendable {
    /// PEM certificates to trust instead of the system's.
    public var caFile: String?

    /// Maximum number of connections to one service.
    public var maxConnections = 3
    /// Maximum number of connections to all services. At the limit an unused connection is closed; if all are in use,
    /// the push waits.
    public var maxTotalConnections = 64
    /// Maximum pushes in progress on one connection, even if the service allows more.
    public var maxStreams = 500
    /// Maximum bytes of all pushes that have not ended. A push beyond the limit ends as `queueFull`.
    public var queueByteLimit = 8 * 1024 * 1024

    /// For one address, TCP and TLS together.
    public var connectTimeout = 5.0
    public var answerTimeout = 20.0
    /// A connection that does not answer a PING within this time is dead.
    public var pingTimeout = 5.0
    /// Apple recommends a PING after an hour without a push.
    public var pingAfterIdle = 3600.0
    /// The first push after a silence of this length is accompanied by a PING, because a NAT may have dropped the
    /// connection.
    public var checkAfterIdle = 120.0
    /// How long pushes may continue on a connection that accepts no new ones.
    public var drainTimeout = 10.0
    public var stopTimeout = 5.0
    /// Another connection is opened if a push has waited this long and all connections are full.
    public var growAfter = 0.2
    /// All but one connection to a service are closed after this time without a push.
    public var spareIdle = 6.0 * 3600
    /// The last connection to a service is closed after this time; `nil` means never.
    public var lastIdle: Double?
    /// The pause after a failed connection doubles from the lower to the upper bound.
    public var reconnectPause = 1.0...60.0
    /// How many times a service may refuse a push unprocessed before it ends as `refused`.
    public var refusalLimit = 8

    /// Whether to connect only to public internet addresses.
    var isPublicOnly = false
    /// Whether pushes to an unusable service end at once (`unusableService`) instead of waiting.
    var endsAtUnusable = false

    /// Called on a separate thread before each new connection. May block.
    package var resolve: @Sendable (_ host: String, _ port: UInt16) -> [SocketAddress] = { host, port in
        SocketAddress.resolve(host: host, port: port)
    }

    public init() {}
}

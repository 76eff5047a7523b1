/// How a client makes and uses connections. Times are in seconds.
public struct PushSettings: Sendable {
    /// PEM certificates to trust instead of the system's.
    public var caFile: String?

    /// To one service.
    public var maxConnections = 3
    /// To all services together. At this bound an unused one makes room; without one a push waits.
    public var maxTotalConnections = 64
    /// Pushes under way on one connection, however many more the far end allows.
    public var maxStreams = 500
    /// Of all pushes that have not ended yet; a push beyond it ends as `queueFull`.
    public var queueByteLimit = 8 * 1024 * 1024

    /// For one address: TCP and TLS together.
    public var connectTimeout = 5.0
    public var answerTimeout = 20.0
    /// A connection that does not answer a PING in this time is dead.
    public var pingTimeout = 5.0
    /// Apple asks for a PING after an hour without a push.
    public var pingAfterIdle = 3600.0
    /// The first push after this much silence is accompanied by a PING: a forgetful NAT drops both without a word.
    public var checkAfterIdle = 120.0
    /// How long pushes on a connection that takes no more may go on.
    public var drainTimeout = 10.0
    public var stopTimeout = 5.0
    /// Another connection is opened when a push has waited this long and all connections are full.
    public var growAfter = 0.2
    /// All but one connection to a service are closed after this long without a push.
    public var spareIdle = 6.0 * 3600
    /// The last connection to a service, too, after this long; `nil`: never.
    public var lastIdle: Double?
    /// The pause after a failed connection doubles from the first to the last of these.
    public var reconnectPause = 1.0...60.0
    /// How often a service may turn a push away unprocessed before it ends as `refused`.
    public var refusalLimit = 8

    /// Whether only addresses of the public internet are connected to.
    var isPublicOnly = false
    /// Whether pushes to a service that cannot be used as it is end at once (`unusableService`) instead of waiting.
    var endsAtUnusable = false

    /// Called on a thread of its own before each new connection; may block.
    public var resolve: @Sendable (_ host: String, _ port: UInt16) -> [SocketAddress] = { host, port in
        SocketAddress.resolve(host: host, port: port)
    }

    public init() {}
}

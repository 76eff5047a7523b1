/// What a loop listens on, and its limits. Sizes in bytes, times in seconds.
public struct ListenerConfiguration: Sendable {
    /// At least one. Default: none.
    public var addresses: [ListenAddress]
    /// PEM files. Both or none; with them every TCP address speaks TLS 1.2 or newer. Default: none.
    public var tls: TLSFiles?

    /// Host names (no port; IPv6 literals in brackets) that a request may name. Loopback names and the bound addresses
    /// are always allowed. Not asked of unix sockets.
    public var allowedHosts: [String] = []
    /// `https://name[:port]` for exactly that origin, or a bare host name for each scheme and port of it. Loopback
    /// names and the bound addresses are always allowed. A request without `Origin` is no browser's and passes.
    public var allowedOrigins: [String] = []
    /// Subprotocols that are chosen when a client offers them. A client that offers only others is refused.
    public var subprotocols: [String] = ["cdev", "cdev.v1", "jsonrpc"]
    /// The headers that `HTTPRequest` carries, in lower case.
    public var passedHeaders: [String] = [
        "authorization", "x-api-key", "content-type", "content-encoding", "accept", "origin", "host", "user-agent",
        "if-none-match", "last-event-id", "x-request-id", "sec-websocket-protocol", "x-forwarded-for",
        "access-control-request-method", "x-ccam-hook-token",
    ]

    /// All headers of a request together. Default 16 KiB, 4 KiB...60 KiB; larger: 431.
    public var maxHeaderBytes = 16 * 1024
    /// One WebSocket message. Default 1 MiB, 1 KiB...64 MiB; larger: closed with 1009.
    public var maxMessageBytes = 1024 * 1024
    /// Bodies that are being read, together. Default 64 MiB, 1 MiB...16 GiB; more: 503 before the body is read.
    public var maxBodiesBytes = 64 << 20
    /// Default 50,000, 1...1,000,000; more are turned away at accept. Lowered by `start` where the process has too
    /// few descriptors.
    public var maxConnections = 50_000
    /// Default 1000, 1...1,000,000: more of one peer are turned away. Loopback, unix sockets and trusted proxies have
    /// no such limit.
    public var peerConnections = 1000
    /// Whose `X-Forwarded-For` and PROXY protocol count. Default: nobody's, and neither is read.
    public var trustedProxies = TrustedProxies()
    /// Trusted proxies send the header of the PROXY protocol, version 1 or 2, in front of each connection. Default
    /// false.
    public var usesProxyProtocol = false
    /// What may wait in user space for one slow channel. Default 256 KiB, 16 KiB...64 MiB; see `NetworkLoop.send`.
    public var maxPendingBytes = 256 * 1024

    /// Whether a message to many sockets, or many answers, go out with one system call where the kernel allows it: see
    /// `BatchSender`. Default true.
    public var usesIOUring = true

    /// Loops of a group keep to these, one after the other, and begin again where there are more loops than cores.
    /// Default: none, so that each runs where the system puts it.
    public var cores: [Int] = []

    /// Busy polling: how long a loop with nothing to do at most looks for more before it sleeps, in microseconds.
    /// Default 200, 0...1000; 0: it sleeps at once. See `BusyPoll`.
    public var busyPollMicroseconds = 200

    /// Runs the producers of streamed responses. Default: Swift's pool.
    public var taskExecutor: (any TaskExecutor)?

    /// Between requests. Default 65, 1...3600.
    public var keepAliveSeconds = 65
    /// From the first to the last byte of a request's headers, and for a TLS handshake. Default 10, 1...300; then 408.
    public var headerSeconds = 10
    /// The whole body. Default 120, 1...3600; then 408.
    public var bodySeconds = 120
    /// Bytes per second, asked after `bodyGraceSeconds`. Default 16 KiB, 0 switches it off; slower: 408.
    public var minBodyRate = 16 * 1024
    /// Default 10, 1...300.
    public var bodyGraceSeconds = 10
    /// How long a handler may take that asks for no other time by `NetworkLoop.wait`. Default 30, 1...600; then 503.
    public var answerSeconds = 30
    /// How long a client may take nothing of what waits for it. Default 30, 1...600; then cut off. A WebSocket or a
    /// stream may take it as slowly as it has to; an answer leaves in pieces of 256 KiB, each of which has this time.
    public var stallSeconds = 30
    /// How long a WebSocket that is closed may take to take what waits for it, and again to answer the close frame.
    /// Default 5, 1...600; then cut off.
    public var closeSeconds = 5
    /// How much a WebSocket that is closed may still send; it is read and dropped. Default 16 MiB, 64 KiB...1 GiB;
    /// then cut off.
    public var closeDropBytes = 16 << 20
    /// Default 25, 1...3600.
    public var pingSeconds = 25
    /// Silence after a ping; any traffic counts as a sign of life. Default 10, 1...600; then cut off.
    public var pongSeconds = 10

    public struct TLSFiles: Sendable, Equatable {
        public var certificatePath: String
        public var keyPath: String

        public init(certificatePath: String, keyPath: String) {
            self.certificatePath = certificatePath
            self.keyPath = keyPath
        }
    }

    public init(addresses: [ListenAddress], tls: TLSFiles? = nil) {
        self.addresses = addresses
        self.tls = tls
    }

    /// Every value that is out of its bounds, one sentence each; empty if all is well.
    public var faults: [String] {
        var faults: [String] = []
        func check(_ name: String, _ value: Int, _ bounds: ClosedRange<Int>) {
            if !bounds.contains(value) {
                faults.append("\(name) must be from \(bounds.lowerBound) to \(bounds.upperBound)")
            }
        }
        if addresses.isEmpty { faults.append("no address to listen on") }
        check("maxHeaderBytes", maxHeaderBytes, 4096...61_440)
        check("maxMessageBytes", maxMessageBytes, 1024...(64 << 20))
        check("maxBodiesBytes", maxBodiesBytes, (1 << 20)...(16 << 30))
        check("maxConnections", maxConnections, 1...1_000_000)
        check("peerConnections", peerConnections, 1...1_000_000)
        check("maxPendingBytes", maxPendingBytes, 16_384...(64 << 20))
        check("busyPollMicroseconds", busyPollMicroseconds, 0...1000)
        check("keepAliveSeconds", keepAliveSeconds, 1...3600)
        check("headerSeconds", headerSeconds, 1...300)
        check("bodySeconds", bodySeconds, 1...3600)
        check("minBodyRate", minBodyRate, 0...(1 << 30))
        check("bodyGraceSeconds", bodyGraceSeconds, 1...300)
        check("answerSeconds", answerSeconds, 1...600)
        check("stallSeconds", stallSeconds, 1...600)
        check("closeSeconds", closeSeconds, 1...600)
        check("closeDropBytes", closeDropBytes, 65_536...(1 << 30))
        check("pingSeconds", pingSeconds, 1...3600)
        check("pongSeconds", pongSeconds, 1...600)
        return faults
    }
}

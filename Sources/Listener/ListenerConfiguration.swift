/// What a loop listens on, and its limits. Sizes are in bytes, times in seconds.
public struct ListenerConfiguration: Sendable {
    /// At least one. Default: none.
    public var addresses: [ListenAddress]
    /// The PEM files. If they are set, every TCP address uses TLS 1.2 or newer. Default: none.
    public var tls: TLSFiles?

    /// Host names (no port; IPv6 literals in brackets) that a request may name. Loopback names and the bound addresses
    /// are always allowed. Requests through unix sockets are not checked.
    public var allowedHosts: [String] = []
    /// `https://name[:port]` for exactly that origin, or a bare host name for all its schemes and ports. Loopback names
    /// and the bound addresses are always allowed. A request without `Origin` does not come from a page and is allowed.
    public var allowedOrigins: [String] = []
    /// WebSocket subprotocols that are accepted when a client offers them. A client that offers only others is refused.
    public var subprotocols: [String] = ["cdev", "cdev.v1", "jsonrpc"]
    /// The headers that `HTTPRequest` carries, in lower case.
    public var passedHeaders: [String] = [
        "authorization", "x-api-key", "content-type", "content-encoding", "accept", "origin", "host", "user-agent",
        "if-none-match", "last-event-id", "x-request-id", "sec-websocket-protocol", "x-forwarded-for",
        "access-control-request-method", "x-ccam-hook-token", "cookie", "accept-encoding", "x-transcript-path",
        "x-transcript-session", "x-transcript-offset", "x-transcript-prefix", "x-transcript-project",
        "x-hold-id", "x-hold-seconds", "x-hold-policy", "x-hold-end", "x-hold-event", "x-session-id", "x-machine-time",
        "access-control-request-headers", "idempotency-key", "x-stainless-retry-count",
        "mcp-protocol-version", "mcp-method", "mcp-name",
    ]

    /// Maximum bytes of all headers of a request. Default 16 KiB, 4 KiB...60 KiB. Larger headers are refused with 431.
    public var maxHeaderBytes = 16 * 1024
    /// Maximum bytes of one WebSocket message. Default 1 MiB, 1 KiB...64 MiB. A larger one closes the WebSocket with
    /// 1009.
    public var maxMessageBytes = 1024 * 1024
    /// Maximum bytes of all bodies that are being read. Default 64 MiB, 1 MiB...16 GiB. More are refused with 503.
    public var maxBodiesBytes = 64 << 20
    /// Maximum number of connections. Default 50,000, 1...1,000,000. More are refused after accept. `start` lowers the
    /// limit if the process has too few descriptors.
    public var maxConnections = 50_000
    /// Maximum number of connections of one peer. Default 1000, 1...1,000,000. More are refused. Loopback, unix sockets
    /// and trusted proxies have no such limit.
    public var peerConnections = 1000
    /// The proxies whose `X-Forwarded-For` and PROXY protocol are trusted. Default: none; then neither is read.
    public var trustedProxies = TrustedProxies()
    /// Whether trusted proxies begin each connection with a header of the PROXY protocol, version 1 or 2. Default
    /// false.
    public var usesProxyProtocol = false
    /// Whether requests with `Forwarded`, `X-Forwarded-...` or `Via` are refused with 403. Default false.
    public var refusesForwarded = false
    /// Maximum bytes that may wait in user space for one slow channel. Default 256 KiB, 16 KiB...64 MiB; see
    /// `NetworkLoop.send`.
    public var maxPendingBytes = 256 * 1024

    /// Whether a message to many sockets, or many answers, are sent with one system call if the kernel allows it: see
    /// `BatchSender`. Default true.
    public var usesIOUring = true

    /// Runs the producers of streamed responses. Default: Swift's pool.
    public var taskExecutor: (any TaskExecutor)?

    /// How long a connection may be idle between requests. Default 65, 1...3600.
    public var keepAliveSeconds = 65
    /// Maximum time for receiving a request's headers, and for a TLS handshake. Default 10, 1...300; then 408.
    public var headerSeconds = 10
    /// Maximum time for receiving the whole body. Default 120, 1...3600; then 408.
    public var bodySeconds = 120
    /// Minimum bytes per second of a body, checked after `bodyGraceSeconds`. Default 16 KiB; 0 disables the check. A
    /// slower body is refused with 408.
    public var minBodyRate = 16 * 1024
    /// Default 10, 1...300.
    public var bodyGraceSeconds = 10
    /// How long a handler may take unless it calls `NetworkLoop.wait`. Default 30, 1...600; then 503.
    public var answerSeconds = 30
    /// A client that reads none of its waiting data for this long is disconnected. Default 30, 1...600. A WebSocket or
    /// a stream may read as slowly as necessary. An answer is sent in pieces of 256 KiB, each with this time limit.
    public var stallSeconds = 30
    /// How long the peer of a closing WebSocket may take to read its waiting data, and then to answer the close frame.
    /// Default 5, 1...600; then it is disconnected.
    public var closeSeconds = 5
    /// Maximum bytes that the peer of a closing WebSocket may still send. They are read and dropped. Default 16 MiB, 64
    /// KiB...1 GiB; then the peer is disconnected.
    public var closeDropBytes = 16 << 20
    /// Interval between pings of a WebSocket. Default 25, 1...3600.
    public var pingSeconds = 25
    /// A peer that sends nothing for this long after a ping is disconnected. Default 10, 1...600.
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

    /// One sentence for each value that is out of range.
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

extension ListenerConfiguration {
    /// Whether an entry of `allowedHosts` can match a `Host` header.
    public static func isHostName(_ text: String) -> Bool {
        NameRules.name(ofAuthority: text) == text.lowercased()
    }

    /// Whether an entry of `allowedOrigins` can match an `Origin` header.
    public static func isOrigin(_ text: String) -> Bool {
        guard let slashes = text.firstRange(of: "://") else { return text == "null" || isHostName(text) }
        return slashes.lowerBound > text.startIndex
            && NameRules.name(ofAuthority: String(text[slashes.upperBound...])) != nil
    }
}

internal import HTTPModel
public import Logging
internal import Synchronization

/// One libwebsockets context with its own thread. The thread is the actor's executor, so the state of the loop needs no
/// lock.
public actor NetworkLoop {
    nonisolated let executor = LoopExecutor()
    nonisolated let configuration: ListenerConfiguration
    let headParser: RequestHeadParser
    nonisolated let logger: Logger
    nonisolated let lifecycle = Mutex(LoopLifecycle())
    private nonisolated let makeHandler: @Sendable (isolated NetworkLoop) -> any RequestHandler

    var context: ServiceContext?
    var sender: any BatchSender = PlainSender()
    private var installedHandler: (any RequestHandler)?
    var gate: RequestGate
    var identifiers = RequestIdentifier(seed: 0)
    var pings: PingSchedule
    var deadlines: TimingWheel<UInt64>

    var lastID: UInt64 = 0
    var listeners: [UInt64: (socket: ListeningSocket, lws: LWSConnection)] = [:]
    var connectionLimit = 0
    /// Descriptors are exhausted. Accepting pauses until the next tick.
    var acceptRests = false
    var connections: [UInt64: Connection] = [:]
    /// The connections whose `isReadingPaused` is set.
    var unreadConnections: Set<UInt64> = []
    /// The connections of each peer.
    var peers: PeerConnections
    /// Keyed by descriptor; see `awaitProxyHeader`.
    var proxyHandshakes: [Int32: ProxyHandshake] = [:]
    var exchanges: [ExchangeID: Connection] = [:]
    let bodies: BodyBudget
    var channels: [ChannelID: Connection] = [:]
    /// The connection whose callback is running. The callback's result closes it; `closeSoon` closes any other
    /// connection.
    var current: UInt64 = 0

    var nextTick: Int64 = 0
    /// Monotonic microseconds.
    var stopDeadline: Int64?
    var isFinished = false

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// `makeHandler` runs on the loop in `start`.
    public init(
        configuration: ListenerConfiguration,
        logger: Logger,
        makeHandler: @escaping @Sendable (isolated NetworkLoop) -> any RequestHandler
    ) {
        self.configuration = configuration
        headParser = RequestHeadParser(table: HeaderTable(passing: configuration.passedHeaders))
        peers = PeerConnections(limit: configuration.peerConnections)
        bodies = BodyBudget(limit: configuration.maxBodiesBytes)
        self.logger = logger
        self.makeHandler = makeHandler
        pings = PingSchedule(interval: configuration.pingSeconds, patience: configuration.pongSeconds, now: 0)
        deadlines = TimingWheel(turn: Self.deadlineTurn, now: 0)
        gate = RequestGate(
            names: NameRules(allowedHosts: [], allowedOrigins: [], boundHosts: []),
            subprotocols: configuration.subprotocols
        )
    }

    var handler: any RequestHandler {
        installedHandler ?? AbsentHandler.shared
    }

    /// Open WebSockets and streamed responses.
    public var channelCount: Int { channels.count }

    /// Any thread. Runs `work` on the loop, after everything that was posted before. A burst costs one wake-up. After
    /// `stop` the work still runs, on some thread, but reaches no connection.
    public nonisolated func post(_ work: @escaping @Sendable (isolated NetworkLoop) -> Void) {
        executor.submit(.work { [self] in assumeIsolated { work($0) } })
    }

    /// Any thread. Has the handler notified on the loop, as `post` does: for work that it keeps itself.
    public nonisolated func notifyHandler() {
        post { loop in loop.handler.notified(on: loop) }
    }

    func installHandler() {
        installedHandler = makeHandler(self)
        handler.notified(on: self)
    }

    func newID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Monotonic.
    var second: Int { Int(ServiceContext.now / 1_000_000) }

    var isStopping: Bool { stopDeadline != nil }

    /// Handles one event of libwebsockets. Returns the result for the library: see `loopServiceCallback`.
    func serve(_ event: ServiceEvent, from id: UInt64, _ lws: LWSConnection) -> Int32 {
        switch event {
        case .wake:
            executor.serve()
            return 0
        case .listenerReadable:
            acceptBurst(id)
            return 0
        case .destroyed:
            forget(id)
            return 0
        default:
            guard let connection = connections[id] else { return -1 }
            connection.lws = lws
            let previous = current
            current = id
            defer { current = previous }
            let result = serve(event, connection, lws)
            if case .ending = connection.mode { return finish(lws) }
            guard result >= 0 else { return finish(lws) }
            limitReading(connection, lws)
            return 0
        }
    }

    /// The callback's result closes the connection. Nothing more is sent.
    private func finish(_ lws: LWSConnection) -> Int32 {
        if !lws.hasBacklog { lws.endOutput() }
        return -1
    }

    private func serve(_ event: ServiceEvent, _ connection: Connection, _ lws: LWSConnection) -> Int32 {
        switch event {
        case .received(let bytes): received(bytes, connection, lws)
        case .writeable: writeable(connection, lws)
        case .wake, .listenerReadable, .destroyed: 0
        }
    }
}

/// Answers before `start`.
private final class AbsentHandler: RequestHandler, Sendable {
    static let shared = AbsentHandler()

    private static let answer = APIError.unavailable("starting", "The server is starting.", retryAfter: 1)

    func admit(_ request: HTTPRequest, bodyLength: Int?, on loop: isolated NetworkLoop) -> Admission {
        .refuse(Self.answer.response(requestID: request.requestID))
    }
    func handle(_ request: HTTPRequest, exchange: ExchangeID, on loop: isolated NetworkLoop) {
        loop.respond(exchange, Self.answer.response(requestID: request.requestID))
    }
    func upgrade(_ request: HTTPRequest, on loop: isolated NetworkLoop) -> UpgradeDecision {
        .refuse(Self.answer.response(requestID: request.requestID))
    }
    func opened(_ channel: ChannelID, request: HTTPRequest, on loop: isolated NetworkLoop) {}
    func received(_ message: [UInt8], isText: Bool, from channel: ChannelID, on loop: isolated NetworkLoop) {}
    func drained(_ channel: ChannelID, on loop: isolated NetworkLoop) {}
    func closed(_ channel: ChannelID, on loop: isolated NetworkLoop) {}
    func tick(on loop: isolated NetworkLoop) {}
}

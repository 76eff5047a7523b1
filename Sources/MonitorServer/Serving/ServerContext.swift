internal import Access
internal import ClientAPI
internal import EventIngest
internal import EventModel
internal import EventSpool
internal import HTTPModel
internal import Listener
internal import Logging
internal import Synchronization
internal import WSFanout

/// What every loop's handler shares. All parts may be used from any thread.
final class ServerContext: Sendable {
    let clock: @Sendable () -> Timestamp
    let startedAt: Timestamp
    let logger: Logger
    let authenticator: Authenticator
    let rateLimiter: RateLimiter
    let shares = IngestShares()
    let metrics = ServerMetrics()
    let database = Database()
    /// `nil`: switched off.
    let spool: EventSpool?
    let keys: KeyService
    let devices: DeviceService
    let loops = RunningLoops()
    let answers = AnswerOutbox()
    let router: Router
    let ingest: IngestConfiguration
    let maxBody: Int
    /// Of all loops, for `/health` and `/metrics`.
    let audience = Audience()

    init(
        configuration: Configuration,
        adminToken: String,
        deviceTokens: DeviceTokens,
        logger: Logger,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.clock = clock
        self.logger = logger
        startedAt = clock()
        authenticator = Authenticator(adminToken: adminToken, gate: (deviceTokens, clock))
        rateLimiter = RateLimiter(limit: configuration.rateLimit)
        ingest = IngestConfiguration(contentPolicy: configuration.contentPolicy, maxBytes: configuration.maxBody)
        maxBody = configuration.maxBody
        spool = configuration.spool.map { EventSpool(configuration: $0, logger: logger, clock: clock) }
        keys = KeyService(database: database, authenticator: authenticator)
        devices = DeviceService(
            database: database,
            authenticator: authenticator,
            tokens: deviceTokens,
            clock: clock,
            logger: logger,
            onRevocation: { [loops] in
                loops.post { loop in (loop.handler as? LoopHandler)?.sweepDeviceLinks(now: clock(), on: loop) }
            }
        )
        let operators = OperatorRoutes(
            database: database,
            spool: spool,
            audience: audience,
            authenticator: authenticator,
            metrics: metrics,
            startedAt: startedAt,
            clock: clock
        )
        let routes =
            operators.routes + API.routes(store: StoreAdapter(database: database), keys: keys, clock: clock)
            + DeviceAPI.routes(devices: devices, isSecure: configuration.tlsCertificate != nil)
        let documents = DocumentRoutes(
            version: ServerVersion.text,
            others: routes.map(\.description) + LoopHandler.descriptions,
            rpc: RPCInterface(.standard)
        )
        router = Router(routes + documents.routes)
    }
}

/// How many listen, counted over all loops.
final class Audience: Sendable {
    struct Counts: Sendable, Equatable {
        var webSockets = 0
        var eventStreams = 0
    }

    private let counts = Mutex(Counts())
    private let delivered = Mutex(HubMetrics())

    /// Since the start, as of the last tick of the loop.
    var delivery: HubMetrics { delivered.withLock { $0 } }

    func keep(_ metrics: HubMetrics) {
        delivered.withLock { $0 = metrics }
    }

    var now: Counts { counts.withLock { $0 } }
    var isEmpty: Bool { now == Counts() }

    func add(webSockets: Int = 0, eventStreams: Int = 0) {
        counts.withLock {
            $0.webSockets += webSockets
            $0.eventStreams += eventStreams
        }
    }
}

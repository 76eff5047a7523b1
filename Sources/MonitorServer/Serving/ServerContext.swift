internal import Access
internal import CdevDialect
internal import ClientAPI
internal import EventIngest
internal import EventModel
internal import HTTPModel
internal import Listener
internal import Logging
internal import Signing
internal import Synchronization
internal import WSFanout
internal import Workers

/// What the loop's handler shares with the rest of the server. All parts may be used from any thread.
final class ServerContext: Sendable {
    let clock: @Sendable () -> Timestamp
    /// For durations and deadlines: does not jump with the wall clock.
    let steadyClock: @Sendable () -> Timestamp
    /// On the steady clock.
    let startedAt: Timestamp
    let logger: Logger
    let authenticator: Authenticator
    let authorizationGuard: AuthorizationGuard
    let rateLimiter: RateLimiter
    let shares = IngestShares()
    let metrics = ServerMetrics()
    let database = Database()
    /// `nil`: switched off.
    let spool: EventSpool?
    let pipeline: IngestPipeline
    let keys: KeyService
    let devices: DeviceService
    let loop = RunningLoop()
    let published = PublishedPosition()
    let answers = AnswerOutbox()
    /// For work of the loop that takes longer than a turn.
    let taskThreads: TaskThreads
    let viewers = ViewerBoard()
    let pushCounts = PushCounts()
    /// `nil`: switched off.
    let push: PushService?
    let pushDesk: PushDesk
    let router: Router
    let ingest: IngestConfiguration
    let maxBody: Int
    /// The listeners speak TLS: browsers are told to come by it only (RFC 6797).
    let isSecure: Bool
    /// For `/health` and `/metrics`.
    let audience = Audience()

    init(
        configuration: Configuration,
        adminToken: String,
        deviceTokens: DeviceTokens,
        deviceTickets: DeviceTickets,
        identity: ServerIdentity,
        pushTransports: PushTransports?,
        taskThreads: TaskThreads,
        logger: Logger,
        clock: @escaping @Sendable () -> Timestamp,
        steadyClock: @escaping @Sendable () -> Timestamp
    ) {
        (self.clock, self.steadyClock, self.logger) = (clock, steadyClock, logger)
        (startedAt, self.taskThreads) = (steadyClock(), taskThreads)
        authenticator = Authenticator(adminToken: adminToken, gate: (deviceTokens, clock), tickets: deviceTickets)
        let audit = AccessAudit(database: database, clock: clock, logger: logger)
        authorizationGuard = AuthorizationGuard(authenticator, metrics: metrics, audit: audit, logger: logger)
        rateLimiter = RateLimiter(limit: configuration.rateLimit)
        ingest = IngestConfiguration(contentPolicy: configuration.contentPolicy, maxBytes: configuration.maxBody)
        maxBody = configuration.maxBody
        isSecure = configuration.tlsCertificate != nil
        spool = configuration.spool.map { EventSpool(configuration: $0, logger: logger, clock: clock) }
        pipeline = IngestPipeline(spool: spool) { [database] in
            try? database.writer()
        } flush: { [answers] in
            answers.send()
        }
        keys = KeyService(database: database, authenticator: authenticator, audit: audit)
        devices = DeviceService(
            database: database,
            authenticator: authenticator,
            tokens: deviceTokens,
            clock: clock,
            logger: logger,
            audit: audit,
            pushCounts: pushCounts,
            onRevocation: { [loop] in loop.sweepDeviceChannels(by: clock) },
            needsApproval: configuration.pairingNeedsApproval
        )
        let apple = ServerContext.apple(configuration.appleSignIn, devices: devices, clock: clock, logger: logger)
        let outbox = PushService.Outbox(database: database, identity: identity, counts: pushCounts)
        push = pushTransports.map { [viewers] transports in
            PushService(transports: transports, outbox: outbox, viewers: viewers, clock: clock, logger: logger)
        }
        pushDesk = ServerContext.pushDesk(push, audit: audit, authenticator: authenticator)
        let operators = OperatorRoutes(
            database: database,
            spool: spool,
            audience: audience,
            authenticator: authenticator,
            metrics: metrics,
            push: push,
            startedAt: startedAt,
            clock: clock,
            steadyClock: steadyClock,
            dataDirectory: configuration.dataDirectory
        )
        let tickets = TicketService(authenticator: authenticator, tickets: deviceTickets, clock: clock, logger: logger)
        let isSecure = configuration.tlsCertificate != nil
        let routes =
            operators.routes + API.routes(store: StoreAdapter(database: database), keys: keys, clock: clock)
            + ServerContext.routes(of: devices, apple, authorizationGuard, isSecure: isSecure, clock)
            + TicketRoutes(issuer: tickets).routes + PushAPI.routes(desk: pushDesk)
        router = ServerContext.router(describing: routes)
    }

    private static func routes(
        of devices: DeviceService,
        _ apple: AppleService?,
        _ authorizationGuard: AuthorizationGuard,
        isSecure: Bool,
        _ clock: @escaping @Sendable () -> Timestamp
    ) -> [Route] {
        DeviceAPI.routes(
            devices: devices,
            apple: apple,
            isSecure: isSecure,
            authorize: authorizationGuard.admitAdministrator,
            clock: clock
        ) + MeRoutes().routes
    }

    private static func apple(
        _ settings: AppleSignInSettings?,
        devices: DeviceService,
        clock: @escaping @Sendable () -> Timestamp,
        logger: Logger
    ) -> AppleService? {
        settings.map { settings in
            AppleService(
                devices: devices,
                keys: AppleKeys(source: settings.keys, caFile: settings.caFile, clock: clock, logger: logger),
                rules: AppleTokenRules(audiences: settings.audiences),
                allowlist: settings.allowlist
            )
        }
    }

    private static func pushDesk(
        _ service: PushService?,
        audit: AccessAudit,
        authenticator: Authenticator
    ) -> PushDesk {
        let pushes = PushAdministrator(
            database: audit.database,
            authenticator: authenticator,
            service: service,
            audit: audit,
            clock: audit.clock
        )
        return PushDesk(push: pushes) { Digest.sha256($0) }
    }

    /// The routes, and the documents that describe them and the interfaces beside them.
    private static func router(describing routes: [Route]) -> Router {
        let documents = DocumentRoutes(
            version: ServerVersion.text,
            others: routes.map(\.description) + LoopHandler.descriptions,
            rpc: RPCInterface(.standard)
        )
        return Router(routes + documents.routes)
    }
}

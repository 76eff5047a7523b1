internal import Access
internal import CdevDialect
internal import ClientAPI
internal import Devices
internal import EventIngest
internal import EventModel
internal import HTTPModel
internal import Heartbeats
internal import Interaction
internal import Listener
internal import Logging
internal import Notifications
internal import PushGateway
internal import Sessions
internal import Synchronization
internal import Transcripts
internal import Usage
internal import WSFanout
internal import WebApp
internal import Workers

/// The state that the loop's handler shares with the rest of the server. All parts are safe from any thread.
final class ServerContext: Sendable {
    let clock: @Sendable () -> Timestamp
    /// For durations and deadlines. It does not jump with the wall clock.
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
    /// `nil` if the spool is disabled.
    let spool: EventSpool?
    let pipeline: IngestPipeline
    let keys: KeyService
    let devices: DeviceService
    let loop = RunningLoop()
    let published = PublishedPosition()
    let answers = AnswerOutbox()
    /// For work of the loop that takes too long for one turn.
    let taskThreads: TaskThreads
    let viewers = ViewerRegistry()
    let pushCounts = PushCounts()
    /// Its lock is held for the lifetime of the context.
    let identity: ServerIdentity
    /// `nil` if pushes are disabled.
    let push: PushDispatcher?
    let pushAPI: PushAPIService
    let prices: PriceList
    let transcripts: TranscriptReceiver
    let interaction: InteractionService
    let budgets: BudgetMonitor
    let machineClocks = MachineClocks()
    let router: Router
    let ingest: IngestConfiguration
    let maxBody: Int
    /// Whether the listeners use TLS. Browsers are then told to use TLS only (RFC 6797).
    let isSecure: Bool
    /// For `/health` and `/metrics`.
    let audience = Audience()
    let web = ServerContext.webPages

    init(
        configuration: Configuration,
        adminToken: String,
        signers: DeviceSigners,
        identity: ServerIdentity,
        pushTransports: PushClients?,
        taskThreads: TaskThreads,
        logger: Logger,
        clock: @escaping @Sendable () -> Timestamp,
        steadyClock: @escaping @Sendable () -> Timestamp
    ) {
        (self.clock, self.steadyClock, self.logger, startedAt) = (clock, steadyClock, logger, steadyClock())
        (self.taskThreads, self.identity, budgets) = (taskThreads, identity, Self.budgets(database, clock, steadyClock))
        rateLimiter = RateLimiter(limit: configuration.rateLimit)
        authenticator = Authenticator(adminToken: adminToken, signers: signers, clock: clock)
        let audit = AccessAudit(database: database, clock: clock, logger: logger)
        authorizationGuard = AuthorizationGuard(authenticator, metrics: metrics, audit: audit, logger: logger)
        ingest = IngestConfiguration(contentPolicy: configuration.contentPolicy, maxBytes: configuration.maxBody)
        (maxBody, prices, isSecure) = (configuration.maxBody, configuration.prices, configuration.tlsCertificate != nil)
        spool = configuration.spool.map { EventSpool(configuration: $0, logger: logger, clock: clock) }
        pipeline = ServerContext.pipeline(spool, database, answers)
        transcripts = ServerContext.transcripts(configuration.contentPolicy, pipeline, database)
        devices = DeviceService(
            authenticator: authenticator,
            tokens: signers.tokens,
            audit: audit,
            pushCounts: pushCounts,
            onRevocation: { [loop] in loop.sweepDeviceChannels(by: clock) },
            needsApproval: configuration.pairingNeedsApproval
        )
        let apple = ServerContext.apple(configuration.appleSignIn, devices: devices, clock: clock, logger: logger)
        let actions = PushAnswers(capabilities: signers.capabilities, authenticator: authenticator, clock: clock)
        keys = KeyService(database: database, authenticator: authenticator, audit: audit)
        interaction = ServerContext.interaction(pipeline, actions, audit, ingest.contentPolicy, steadyClock)
        let outbox = (database, identity, pushCounts, viewers, interaction)
        push = ServerContext.dispatcher(pushTransports, configuration, outbox, audit, actions)
        pushAPI = ServerContext.pushAPI(push, database, pushCounts, audit)
        let operators = OperatorRoutes(
            database: database,
            spool: spool,
            audience: audience,
            authenticator: authenticator,
            metrics: metrics,
            push: push,
            budgets: budgets,
            interaction: interaction,
            startedAt: startedAt,
            clock: clock,
            steadyClock: steadyClock,
            dataDirectory: configuration.dataDirectory,
            web: web
        )
        let features =
            ServerContext.receivers(transcripts, pipeline, interaction, spool, loop, database, audit)
            + PushAPI.routes(pushAPI, budgets: budgets, clock: clock) + InteractionAPI.routes(interaction)
            + ServerContext.sessions(of: devices, signers, audit)
        let store = ServerContext.reads(database, interaction, keys, prices, machineClocks, clock)
        let access = ServerContext.routes(of: devices, apple, authorizationGuard, web, isSecure: isSecure, clock)
        router = ServerContext.router(describing: operators.routes + store + access + features, and: web.routes)
    }

    private static func pipeline(_ spool: EventSpool?, _ database: Database, _ answers: AnswerOutbox) -> IngestPipeline
    {
        IngestPipeline(spool: spool, writer: { try? database.writer() }, flush: { answers.send() })
    }

    /// What machines send besides events, and its erasure.
    private static func receivers(
        _ transcripts: TranscriptReceiver,
        _ pipeline: IngestPipeline,
        _ interaction: InteractionService,
        _ spool: EventSpool?,
        _ loop: RunningLoop,
        _ database: Database,
        _ audit: AccessAudit
    ) -> [Route] {
        let beats = HeartbeatReceiver(pipeline: pipeline) { () throws(APIError) in try database.store() }
        let erasing = ErasureService(
            database: database,
            spool: spool,
            transcripts: transcripts,
            interaction: interaction,
            loop: loop,
            audit: audit
        )
        return TranscriptRoutes(receiver: transcripts, clock: audit.clock).routes
            + HeartbeatRoutes(receiver: beats, clock: audit.clock).routes + ErasureRoutes(erasing).routes
    }

    private static func sessions(of devices: DeviceService, _ signers: DeviceSigners, _ audit: AccessAudit) -> [Route] {
        let tickets = TicketService(
            devices.authenticator,
            signers.tickets,
            clock: audit.clock,
            logger: audit.logger
        )
        return BrowserSessionRoutes(devices: devices, passes: signers.passes, clock: audit.clock).routes
            + TicketRoutes(issuer: tickets).routes
    }

    private static func transcripts(
        _ policy: ContentPolicy,
        _ pipeline: IngestPipeline,
        _ database: Database
    ) -> TranscriptReceiver {
        TranscriptReceiver(policy: policy, pipeline: pipeline) { () throws(APIError) in try database.store() }
    }

    private static func interaction(
        _ pipeline: IngestPipeline,
        _ answers: PushAnswers,
        _ audit: AccessAudit,
        _ policy: ContentPolicy,
        _ steadyClock: @escaping @Sendable () -> Timestamp
    ) -> InteractionService {
        InteractionService(
            InteractionEnvironment(
                database: audit.database,
                submit: { events in await pipeline.submit(events).allSatisfy(\.isInLog) },
                isAnyoneAllowed: { answers.authenticator.hasDevice(.respond, on: $0) },
                kept: policy.kept,
                redeem: answers.redeem,
                clock: audit.clock,
                steadyClock: steadyClock,
                logger: audit.logger
            )
        )
    }

    private static func routes(
        of devices: DeviceService,
        _ apple: AppleService?,
        _ authorizationGuard: AuthorizationGuard,
        _ web: WebPages,
        isSecure: Bool,
        _ clock: @escaping @Sendable () -> Timestamp
    ) -> [Route] {
        DeviceAPI.routes(
            devices: devices,
            apple: apple,
            isSecure: isSecure,
            authorize: authorizationGuard.admitAdministrator,
            page: web.pairing,
            clock: clock
        ) + MeRoutes().routes
    }

    /// The built web app, beside the program's other files.
    private static var webPages: WebPages {
        let directory = InstalledFiles.find("web/dist")
        return WebPages(
            files: directory.flatMap { directory in
                WebFiles { InstalledFiles.contents(directory + "/" + $0, atMost: 8 << 20) }
            }
        )
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
                keys: AppleKeys(
                    document: { () throws(FetchError) in try await settings.keys.document(caFile: settings.caFile) },
                    clock: clock,
                    logger: logger
                ),
                rules: AppleTokenRules(audiences: settings.audiences),
                allowlist: settings.allowlist
            )
        }
    }

    private typealias Outbox = (
        database: Database, identity: ServerIdentity, counts: PushCounts, viewers: ViewerRegistry,
        interaction: InteractionService
    )

    private static func dispatcher(
        _ transports: PushClients?,
        _ configuration: Configuration,
        _ outbox: Outbox,
        _ audit: AccessAudit,
        _ answers: PushAnswers
    ) -> PushDispatcher? {
        guard let transports else { return nil }
        let environment = PushEnvironment(
            transports: transports,
            database: outbox.database,
            counts: outbox.counts,
            server: outbox.identity.process,
            lineage: outbox.identity.lineage,
            clock: audit.clock,
            logger: audit.logger,
            actions: answers.issue
        ) { [interaction = outbox.interaction, clock = audit.clock] prompt, device in
            interaction.reached([PromptReach(.pushed, of: prompt, on: device, at: clock())])
        }
        return PushDispatcher(environment, viewers: outbox.viewers, probe: configuration.push.apns?.probe)
    }

    private static func pushAPI(
        _ dispatcher: PushDispatcher?,
        _ database: Database,
        _ counts: PushCounts,
        _ audit: AccessAudit
    ) -> PushAPIService {
        PushAPIService(database: database, dispatcher: dispatcher, counts: counts, clock: audit.clock) {
            layer,
            isRemoved,
            caller in
            let origin = Caller(peer: caller.peer, requestID: caller.requestID, principal: caller.principal)
            await audit.record(isRemoved ? .removePushPreferences : .setPushPreferences, on: layer, .granted, origin)
        }
    }

    /// The routes, and the documents that describe them and the other interfaces.
    private static func router(describing routes: [Route], and files: [Route]) -> Router {
        let documents = DocumentRoutes(
            version: ServerVersion.text,
            others: routes.map(\.description) + LoopHandler.descriptions,
            rpc: RPCInterface(.standard)
        )
        return Router(routes + documents.routes + files)
    }
}

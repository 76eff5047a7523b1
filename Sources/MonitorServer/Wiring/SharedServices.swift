internal import API
internal import Access
internal import Agents
internal import Audit
internal import Devices
internal import EventIngest
internal import EventModel
internal import Host
internal import Logging
internal import Machines
internal import Messages
internal import Notifications
internal import OAuth
internal import Persistence
internal import Prompts
internal import Secrets
internal import Serving
internal import Settings
internal import WSFanout
internal import Workers

/// The parts that several others are built from.
struct SharedServices: Sendable {
    let clock: @Sendable () -> Timestamp
    let steadyClock: @Sendable () -> Timestamp
    /// On the steady clock.
    let startedAt: Timestamp
    let logger: Logger
    let database = Database()
    let answers = AnswerOutbox()
    let loop = RunningLoop()
    let metrics = ServerMetrics()
    let audience = Audience()
    let viewers = ViewerRegistry()
    let pushCounts = PushCounts()
    let authenticator: Authenticator
    let audit: AccessAudit
    let authorizationGuard: AuthorizationGuard
    /// `nil` if the spool is disabled.
    let spool: EventSpool?
    let pipeline: IngestPipeline
    let machineReports = MachineReports()
    /// Seals what the database stores of secrets.
    let secrets: SecretVault
    /// Logins at remote MCP servers, and the accounts of programs' users there.
    let accounts: AccountService

    init(
        configuration: Configuration,
        adminToken: String,
        signers: DeviceSigners,
        secretKeys: SecretKeyFile,
        logger: Logger,
        clock: @escaping @Sendable () -> Timestamp,
        steadyClock: @escaping @Sendable () -> Timestamp
    ) throws(DataDirectoryError) {
        (self.clock, self.steadyClock, self.logger, startedAt) = (clock, steadyClock, logger, steadyClock())
        secrets = try SecretVault(file: secretKeys, database: database)
        authenticator = Authenticator(adminToken: adminToken, signers: signers, clock: clock)
        audit = AccessAudit(database: database, clock: clock, logger: logger)
        accounts = Services.oauth(configuration, secrets, database, audit)
        authorizationGuard = AuthorizationGuard(
            authenticator,
            rates: RateLimiter(machines: configuration.rateLimit, clients: configuration.clientRateLimit),
            database: database,
            metrics: metrics,
            audit: audit,
            logger: logger
        )
        spool = configuration.spool.map { EventSpool(configuration: $0, logger: logger, clock: clock) }
        pipeline = IngestPipeline(
            spool: spool,
            writer: { [database] in try? database.writer() },
            flush: { [answers] in answers.send() },
            clockOffset: { [machineReports] in machineReports.wrongClock(of: $0) }
        )
    }

    /// The state of the network loop's handler.
    func context(
        _ configuration: Configuration,
        keys: KeyService,
        pushAPI: PushAPIService,
        agents: AgentService,
        prompts: PromptService,
        messages: MessageService,
        router: Router,
        taskThreads: TaskThreads<QueryOwner>
    ) -> ServerContext {
        ServerContext(
            clock: clock,
            steadyClock: steadyClock,
            startedAt: startedAt,
            logger: logger,
            version: ServerVersion.text,
            authenticator: authenticator,
            authorizationGuard: authorizationGuard,
            metrics: metrics,
            audience: audience,
            database: database,
            pipeline: pipeline,
            ingest: IngestConfiguration(contentPolicy: configuration.contentPolicy, maxBytes: configuration.maxBody),
            maxBody: configuration.maxBody,
            keys: keys,
            answers: answers,
            loop: loop,
            taskThreads: taskThreads,
            viewers: viewers,
            pushAPI: pushAPI,
            agents: agents,
            prompts: prompts,
            messages: messages,
            machineReports: machineReports,
            router: router,
            isSecure: configuration.tlsCertificate != nil,
            isSeedCompatible: configuration.isSeedCompatible
        )
    }
}

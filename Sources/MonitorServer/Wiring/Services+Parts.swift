internal import API
internal import Access
internal import Agents
internal import Audit
internal import CdevDialect
internal import ClientAPI
internal import Devices
internal import EventIngest
internal import EventModel
internal import HTTPClient
internal import HTTPModel
internal import Host
internal import Logging
internal import Machines
internal import Masking
internal import Messages
internal import Notifications
internal import Persistence
internal import Prompts
internal import PushGateway
internal import Search
internal import Serving
internal import Sessions
internal import Settings
internal import Transcripts
internal import Usage
internal import WSFanout
internal import WebApp

/// Builds the services that the features are made of.
extension Services {
    static func operators(
        _ shared: SharedServices,
        _ push: PushDispatcher?,
        _ agents: AgentLinks,
        _ configuration: Configuration,
        _ web: WebPages
    ) -> OperatorRoutes {
        OperatorRoutes(
            database: shared.database,
            spool: shared.spool,
            audience: shared.audience,
            agents: agents,
            authenticator: shared.authenticator,
            metrics: shared.metrics,
            push: push,
            startedAt: shared.startedAt,
            clock: shared.clock,
            steadyClock: shared.steadyClock,
            dataDirectory: configuration.dataDirectory,
            web: web
        )
    }

    static func transcripts(
        _ policy: ContentPolicy,
        _ pipeline: IngestPipeline,
        _ messages: MessageService,
        _ database: Database
    ) -> TranscriptReceiver {
        TranscriptReceiver(
            policy: policy,
            pipeline: pipeline,
            versions: database.clientVersions,
            onRead: { messages.messagesRead($0.messages, inSessionNamed: $0.sessionID, on: $0.machine) },
            store: { () throws(APIError) in try database.store() }
        )
    }

    static func prompts(_ shared: SharedServices, _ policy: ContentPolicy, _ answers: PushAnswers) -> PromptService {
        PromptService(
            PromptEnvironment(
                database: shared.database.answering,
                submit: { [pipeline = shared.pipeline] in await pipeline.submit($0).allSatisfy(\.isInLog) },
                commit: shared.pipeline.commit,
                kept: policy.kept,
                isAnyoneAllowed: { answers.authenticator.hasDevice(.respond, on: $0) },
                callers: { [database = shared.database.answering] ids throws(APIError) in
                    try await Services.callers(ofToolUses: ids, database)
                },
                redeem: answers.redeem,
                clock: shared.clock,
                steadyClock: shared.steadyClock,
                logger: shared.logger
            )
        )
    }

    static func agents(
        _ shared: SharedServices,
        _ messages: MessageService,
        _ links: AgentLinks,
        _ identity: ServerIdentity,
        _ releases: AgentReleases,
        _ policy: ContentPolicy
    ) -> AgentService {
        let (database, pipeline, clock) = (shared.database, shared.pipeline, shared.clock)
        let ports = AgentService.Ports(
            submit: { events throws(APIError) in
                for case .unavailable(let error) in await pipeline.submit(events) { throw error }
            },
            session: { id throws(APIError) in
                let session = try await database.use { store throws(PersistenceError) in
                    try await store.sessionWithEvidence(id: id, now: clock())
                }
                guard let session else { throw .sessionNotFound }
                return session
            },
            isRunning: { workspaceID throws(APIError) in
                var query = SessionQuery(now: clock(), limit: 50)
                query.workspaceID = workspaceID
                let found = query
                return try await database.use { store throws(PersistenceError) in
                    try await store.sessionsWithEvidence(found).sessions.contains {
                        $0.endedAt == nil && ($0.isRunning(now: found.now) || $0.acceptsMessages == true)
                    }
                }
            },
            sendFirst: { text, id, images, session, responder throws(APIError) in
                try await messages.sendFirst(text, id: id, images: images, to: session, by: responder)
            }
        )
        return AgentService(
            links: links,
            node: identity.process,
            releases: releases.versions,
            database: database,
            keepsChanges: policy != .none,
            ports: ports,
            clock: clock,
            steadyClock: shared.steadyClock
        )
    }

    static func messages(
        _ shared: SharedServices,
        _ policy: ContentPolicy,
        _ links: AgentLinks
    ) -> MessageService {
        MessageService(
            database: shared.database.answering,
            submit: { [pipeline = shared.pipeline] in _ = await pipeline.submit($0) },
            kept: policy.kept,
            takeBack: { message, session, responder throws(APIError) in
                try await links.takeBack(message, of: session, by: responder)
            },
            clock: shared.clock,
            steadyClock: shared.steadyClock,
            logger: shared.logger
        )
    }

    /// The built web app, which is stored with the program's other files.
    static var webPages: WebPages {
        let directory = InstalledFiles.find("web/dist")
        return WebPages(
            files: directory.flatMap { directory in
                WebFiles { InstalledFiles.contents(directory + "/" + $0, atMost: 8 << 20) }
            }
        )
    }

    /// The hooks, which are stored with the program's other files.
    static var hooks: HooksArchive? {
        guard let directory = InstalledFiles.find("hooks") else { return nil }
        let library = InstalledFiles.names(in: directory + "/lib").map { "lib/" + $0 }
        let names = InstalledFiles.names(in: directory) + library
        return HooksArchive(
            names.compactMap { name in
                InstalledFiles.contents(directory + "/" + name, atMost: 1 << 20)
                    .map { HooksArchive.File(path: name, contents: $0) }
            }
        )
    }

    static func apple(
        _ settings: AppleSignInSettings?,
        devices: DeviceService,
        clock: @escaping @Sendable () -> Timestamp,
        logger: Logger
    ) -> AppleService? {
        settings.map { settings in
            AppleService(
                devices: devices,
                keys: AppleKeys(
                    document: { () throws(FetchError) in
                        try await settings.keys.document(caFile: settings.caFile) { SystemClock.monotonicSeconds() }
                    },
                    clock: clock,
                    logger: logger
                ),
                rules: AppleTokenRules(audiences: settings.audiences),
                allowlist: settings.allowlist
            )
        }
    }

    typealias Outbox = (
        database: Database, identity: ServerIdentity, counts: PushCounts, viewers: ViewerRegistry,
        prompts: PromptService
    )

    static func dispatcher(
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
        ) { [prompts = outbox.prompts, clock = audit.clock] prompt, device in
            prompts.reached([PromptReach(.pushed, of: prompt, on: device, at: clock())])
        }
        return PushDispatcher(environment, viewers: outbox.viewers, probe: configuration.push.apns?.probe)
    }

    static func pushAPI(
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

    static func budgets(
        _ database: Database,
        in zone: TimeZoneName,
        _ logger: Logger,
        _ clock: @escaping @Sendable () -> Timestamp,
        _ steadyClock: @escaping @Sendable () -> Timestamp
    ) -> BudgetMonitor {
        BudgetMonitor(database: database, zone: zone, logger: logger, clock: clock, steadyClock: steadyClock) {
            store,
            start async throws(PersistenceError) in
            let (projects, sessions, total) = try await store.costs(since: start)
            func part(_ cost: CostOfPart) -> Spending.Part {
                Spending.Part(id: cost.id, workspaceID: cost.workspaceID, name: cost.name, cost: cost.cost)
            }
            return Spending(day: total, projects: projects.map(part), sessions: sessions.map(part))
        }
    }

    /// The router of all routes, including the documents that describe them and the other interfaces.
    static func router(of features: [Feature]) -> Router {
        let routes = features.routes
        let documents = DocumentRoutes(
            version: ServerVersion.text,
            others: routes.map(\.description).filter(\.isListed) + LoopRoutes.descriptions,
            schemas: LoopRoutes.schemas + features.schemas,
            rpc: RPCInterface(.standard, version: ServerVersion.text)
        )
        return Router(routes + documents.routes, errorForms: features.errorForms)
    }
}

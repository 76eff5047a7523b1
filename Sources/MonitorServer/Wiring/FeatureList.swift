internal import API
internal import Access
internal import Agents
internal import Chat
internal import ClientAPI
internal import Devices
internal import EventIngest
internal import EventModel
internal import HTTPModel
internal import MCP
internal import Machines
internal import Messages
internal import Notifications
internal import OAuth
internal import Persistence
internal import Prompts
internal import Search
internal import Secrets
internal import Serving
internal import Settings
internal import ToolRouter
internal import Tools
internal import Transcripts
internal import Usage
internal import WebApp

/// The services that the features are made of.
struct FeatureServices: Sendable {
    let shared: SharedServices
    let configuration: Configuration
    let signers: DeviceSigners
    let devices: DeviceService
    let keys: KeyService
    let agents: AgentService
    let releases: AgentReleases
    let prompts: PromptService
    let messages: MessageService
    let transcripts: TranscriptReceiver
    /// `nil` if pushes are disabled.
    let push: PushDispatcher?
    let pushAPI: PushAPIService
    let budgets: BudgetMonitor
    let loop: RunningLoop

    /// The server's features. A new feature is a module and one line here.
    var list: [Feature] {
        let (database, clock, logger, web) = (shared.database, shared.clock, shared.logger, Services.webPages)
        let chats = Services.chats(agents, shared, configuration)
        let asker = PersonAsker(
            shared: shared,
            holds: prompts.holds,
            ingest: IngestConfiguration(contentPolicy: configuration.contentPolicy, maxBytes: configuration.maxBody)
        )
        let registry = Services.toolRegistry(agents, shared, configuration)
        let toolCalls = Services.toolCalls(registry, agents, shared, asker, configuration)
        let (eraser, routed) = (ProjectEraser(), router(toolCalls))
        let features = [
            Feature.sessions(
                database,
                pipeline: shared.pipeline,
                drive: SessionDriver(set: agents.set),
                effects: EffectCounter(shared.authorizationGuard.countEffects),
                changes: ExportedChanges { [agents] in await agents.exportedChanges(of: $0, by: $1) },
                eraser: eraser,
                directories: directories,
                clock: clock
            ),
            usage,
            .joining(Services.hooks, agents: releases, isSecure: configuration.tlsCertificate != nil),
            .search(database, clock: clock, logger: logger),
            .transcripts(transcripts, clock: clock),
            .machines(
                database,
                receiver: heartbeats,
                reports: shared.machineReports,
                agents: { [agents] store throws(PersistenceError) in try await agents.agents(store) },
                releases: releases,
                clock: clock,
                logger: logger
            ),
            .agents(agents),
            .tools(registry, toolCalls, limiter: Services.toolLimiter(agents, shared)),
            .toolRouter(routed, accounts: shared.accounts),
            .oauth(shared.accounts) { await registry.remote.connected($0.server, account: $0.account) },
            .chat(chats, Services.projectChats(chats, agents, messages, shared)),
            .prompts(prompts, database: database, clock: clock),
            .messages(messages, clock: clock),
            .notifications(push, api: pushAPI, budgets: budgets, monitors: monitors, clock: clock),
            .devices(deviceServices(web)),
            .web(web, devices: devices),
        ]
        let erasing = erasure(of: features)
        eraser.bind { id, caller throws(APIError) in try await erasing.erase(.project(id), caller) }
        let operators = Services.operators(shared, push, agents.links, configuration, web)
        let tools = Feature.mcp(
            features.routes,
            ports: Services.tools(shared),
            asking: Services.asking(asker, signers.waits),
            machines: Services.machineTools(EndpointTools(toolCalls), ToolProfiles(registry)),
            endpoints: [Services.sessionTools(SessionEndpoint(routed))],
            serverVersion: ServerVersion.text
        )
        let secrets = Feature.secrets(shared.secrets, columns: features.sealed, audit: shared.audit)
        return features + [tools, .erasure(erasing), secrets, operators.feature(reporting: features)]
    }

    private var directories: ProjectDirectories {
        ProjectDirectories { [agents] name, machine, principal throws(APIError) in
            try await agents.newDirectory(forProject: name, on: machine, by: Responder(principal))
        }
    }

    private func router(_ calls: ToolCallService) -> ToolRouter {
        ToolRouter(
            database: shared.database,
            toolkits: ToolkitService(calls),
            connections: AccountDirectory(shared.accounts),
            seal: { [waits = signers.waits] in try? waits.seal($0) },
            unseal: signers.waits.open,
            isSecure: configuration.tlsCertificate != nil,
            isSeedCompatible: configuration.isSeedCompatible,
            clock: shared.clock
        )
    }

    private var usage: Feature {
        .usage(
            shared.database,
            prices: configuration.prices,
            aliases: configuration.modelAliases,
            offered: { [agents] in await agents.offeredModels(for: $0) },
            clock: shared.clock,
            logger: shared.logger
        )
    }

    private func erasure(of features: [Feature]) -> ErasureService {
        ErasureService(
            database: shared.database,
            spool: shared.spool,
            features: features,
            forgetOnMachines: { [agents] in await agents.forgetChanges(of: $0) },
            loop: loop,
            audit: shared.audit
        )
    }

    private var monitors: [NoticeMonitor] {
        let (database, logger, clock) = (shared.database, shared.logger, shared.clock)
        let machines = NoticeMonitor(.machines, database: database, logger: logger, clock: clock) {
            [agents] store throws(PersistenceError) in
            try await agents.absences(store).map {
                AwayMachine(name: $0.machineName, since: $0.since, sessions: $0.sessions)
            }
        }
        return [Services.toolServers(database, logger, clock), machines]
    }

    private var heartbeats: HeartbeatReceiver {
        HeartbeatReceiver(pipeline: shared.pipeline) { [database = shared.database] () throws(APIError) in
            try database.store()
        }
    }

    private func deviceServices(_ web: WebPages) -> DeviceServices {
        let (authenticator, clock, logger) = (shared.authenticator, shared.clock, shared.logger)
        var services = DeviceServices(
            devices: devices,
            keys: keys,
            apiKeys: APIKeyService(keys) { [loop] in loop.sweepChannels(by: clock) },
            tickets: TicketService(authenticator, signers.tickets, clock: clock, logger: logger),
            authorize: shared.authorizationGuard.admitAdministrator
        )
        services.apple = Services.apple(configuration.appleSignIn, devices: devices, clock: clock, logger: logger)
        services.isSecure = configuration.tlsCertificate != nil
        services.auditDays = configuration.auditDays
        services.page = web.pairing
        return services
    }
}

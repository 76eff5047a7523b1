internal import API
internal import Access
internal import Agents
internal import ClientAPI
internal import Devices
internal import EventIngest
internal import EventModel
internal import HTTPModel
internal import Host
internal import Logging
internal import Machines
internal import Messages
internal import Notifications
internal import Persistence
internal import Prompts
internal import PushGateway
internal import Search
internal import Serving
internal import Settings
internal import Transcripts
internal import Usage
internal import WSFanout
internal import WebApp
internal import Workers

/// The parts of the server, built from the configuration. All are safe from any thread.
struct Services: Sendable {
    let context: ServerContext
    /// `nil` if the spool is disabled.
    let spool: EventSpool?
    let devices: DeviceService
    let loop: RunningLoop
    /// Its lock is held for the lifetime of this value.
    let identity: ServerIdentity
    /// `nil` if pushes are disabled.
    let push: PushDispatcher?
    let prices: PriceList
    let features: [Feature]

    var database: Database { context.database }

    init(
        _ shared: SharedServices,
        configuration: Configuration,
        signers: DeviceSigners,
        identity: ServerIdentity,
        pushTransports: PushClients?,
        taskThreads: TaskThreads<QueryOwner>
    ) {
        let (database, audit, clock) = (shared.database, shared.audit, shared.clock)
        let (authenticator, pipeline) = (shared.authenticator, shared.pipeline)
        (self.identity, loop, spool, prices) = (identity, shared.loop, shared.spool, configuration.prices)
        let budgets = Self.budgets(database, in: configuration.timeZone, shared.logger, clock, shared.steadyClock)
        devices = DeviceService(
            authenticator: authenticator,
            tokens: signers.tokens,
            audit: audit,
            pushCounts: shared.pushCounts,
            onRevocation: { [loop] in loop.sweepChannels(by: clock) },
            needsApproval: configuration.pairingNeedsApproval
        )
        let actions = PushAnswers(capabilities: signers.capabilities, authenticator: authenticator, clock: clock)
        let keys = KeyService(database: database, authenticator: authenticator, audit: audit)
        let policy = configuration.contentPolicy
        let prompts = Self.prompts(shared, policy, actions)
        let links = AgentLinks()
        let messages = Self.messages(shared, policy, links)
        let agents = Self.agents(shared, messages, links, identity, Self.agentReleases, policy)
        let transcripts = Self.transcripts(policy, pipeline, messages, database)
        let outbox = (database, identity, shared.pushCounts, shared.viewers, prompts)
        push = Self.dispatcher(pushTransports, configuration, outbox, audit, actions)
        let pushAPI = Self.pushAPI(push, database, shared.pushCounts, audit)
        features =
            FeatureServices(
                shared: shared,
                configuration: configuration,
                signers: signers,
                devices: devices,
                keys: keys,
                agents: agents,
                releases: Self.agentReleases,
                prompts: prompts,
                messages: messages,
                transcripts: transcripts,
                push: push,
                pushAPI: pushAPI,
                budgets: budgets,
                loop: loop
            )
            .list
        context = shared.context(
            configuration,
            keys: keys,
            pushAPI: pushAPI,
            agents: agents,
            prompts: prompts,
            messages: messages,
            router: Self.router(of: features),
            taskThreads: taskThreads
        )
    }

    func warnOfOldPrices() {
        guard prices.isOld(at: context.clock()) else { return }
        context.logger.warning("the price list is old; costs may be wrong", metadata: ["day": "\(prices.day)"])
    }
}

package import API
package import Access
package import Agents
package import Devices
package import EventIngest
package import EventModel
internal import HTTPModel
package import Logging
package import Machines
package import Messages
package import Notifications
package import Persistence
package import Prompts
internal import WSFanout
package import Workers

/// The state that the loop's handler shares with the rest of the server. All parts are safe from any thread.
package final class ServerContext: Sendable {
    package let clock: @Sendable () -> Timestamp
    /// For durations and deadlines. It does not jump with the wall clock.
    package let steadyClock: @Sendable () -> Timestamp
    /// On the steady clock.
    let startedAt: Timestamp
    package let logger: Logger
    /// The server's version.
    let version: String
    let authenticator: Authenticator
    let authorizationGuard: AuthorizationGuard
    let metrics: ServerMetrics
    /// For `/health` and `/metrics`.
    let audience: Audience
    package let database: Database
    package let pipeline: IngestPipeline
    let ingest: IngestConfiguration
    let maxBody: Int
    package let keys: KeyService
    package let answers: AnswerOutbox
    let loop: RunningLoop
    /// See `executor(of:)`.
    package let taskThreads: TaskThreads<QueryOwner>
    let viewers: ViewerRegistry
    let pushAPI: PushAPIService
    package let agents: AgentService
    package let prompts: PromptService
    package let messages: MessageService
    let machineReports: MachineReports
    let router: Router
    /// Whether the listeners use TLS. Browsers are then told to use TLS only (RFC 6797).
    let isSecure: Bool
    /// Whether the interface is as the documents of the first clients print it.
    let isSeedCompatible: Bool
    let shares = IngestShares()
    let published = PublishedPosition()

    package init(
        clock: @escaping @Sendable () -> Timestamp,
        steadyClock: @escaping @Sendable () -> Timestamp,
        startedAt: Timestamp,
        logger: Logger,
        version: String,
        authenticator: Authenticator,
        authorizationGuard: AuthorizationGuard,
        metrics: ServerMetrics,
        audience: Audience,
        database: Database,
        pipeline: IngestPipeline,
        ingest: IngestConfiguration,
        maxBody: Int,
        keys: KeyService,
        answers: AnswerOutbox,
        loop: RunningLoop,
        taskThreads: TaskThreads<QueryOwner>,
        viewers: ViewerRegistry,
        pushAPI: PushAPIService,
        agents: AgentService,
        prompts: PromptService,
        messages: MessageService,
        machineReports: MachineReports,
        router: Router,
        isSecure: Bool,
        isSeedCompatible: Bool
    ) {
        (self.clock, self.steadyClock, self.startedAt) = (clock, steadyClock, startedAt)
        (self.logger, self.version, self.isSecure) = (logger, version, isSecure)
        self.isSeedCompatible = isSeedCompatible
        (self.authenticator, self.authorizationGuard, self.keys) = (authenticator, authorizationGuard, keys)
        (self.metrics, self.audience) = (metrics, audience)
        (self.database, self.pipeline, self.ingest, self.maxBody) = (database, pipeline, ingest, maxBody)
        (self.answers, self.loop, self.taskThreads, self.router) = (answers, loop, taskThreads, router)
        (self.viewers, self.pushAPI, self.prompts, self.messages) = (viewers, pushAPI, prompts, messages)
        (self.machineReports, self.agents) = (machineReports, agents)
    }
}

extension ServerContext {
    func heartbeatReport() -> HeartbeatReport {
        let sessions = database.sample.sessions
        let status = sessions.waiting > 0 ? "waiting" : sessions.running > 0 ? "running" : "idle"
        return HeartbeatReport(claudeStatus: status, uptimeSeconds: Int64(steadyClock().seconds(since: startedAt)))
    }
}

extension ServerContext {
    /// For work of the loop that takes too long for one turn.
    func executor(of owner: QueryOwner) -> some TaskExecutor { taskThreads.executor(of: owner) }

    /// A task for what a machine's agent reports. It takes turns, and has its share of the database, as the requests of
    /// one sender do.
    @discardableResult
    func task(for machine: MachineID, _ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        let owner = QueryOwner.machine(machine)
        return Task(executorPreference: executor(of: owner)) {
            await QueryOwner.$current.withValue(owner) { await work() }
        }
    }

    /// A stream whose producer works for the owner. The listener starts producers in tasks of their own.
    func stream(_ stream: @escaping BodyStream, for owner: QueryOwner) -> BodyStream {
        { writer in
            try await withTaskExecutorPreference(self.executor(of: owner)) {
                try await QueryOwner.$current.withValue(owner) { try await stream(writer) }
            }
        }
    }
}

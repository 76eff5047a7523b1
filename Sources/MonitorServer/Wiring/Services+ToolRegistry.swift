internal import API
internal import Agents
internal import EventModel
internal import HTTPClient
internal import HTTPModel
internal import Host
internal import Logging
internal import Notifications
internal import OAuth
internal import Persistence
internal import Sessions
internal import Settings
internal import Tools

extension Services {
    /// The time in seconds that an agent has to list MCP servers. The agent starts some of them to do so.
    private static let listingSeconds = 60.0

    /// Seconds after which a server that still fails is no alarm any more: its machine may be gone.
    private static let failureSeconds = 7 * 86_400.0

    static func toolServers(
        _ database: any StoreAccess,
        _ logger: Logger,
        _ clock: @escaping @Sendable () -> Timestamp
    ) -> NoticeMonitor {
        NoticeMonitor(.toolServers, database: database, logger: logger, clock: clock) {
            store throws(PersistenceError) in
            try await store.failedServers(after: clock().adding(seconds: -failureSeconds)).map {
                FailedServer(
                    id: $0.id,
                    name: $0.name,
                    machineName: $0.machine.isEmpty ? "the monitor" : $0.machine,
                    reason: $0.reason,
                    failedAt: $0.since
                )
            }
        }
    }

    static func toolRegistry(
        _ agents: AgentService,
        _ shared: SharedServices,
        _ configuration: Configuration
    ) -> ToolService {
        let database = shared.database
        let http = OutboundClient(
            rules: .public(and: configuration.toolNetworks),
            caFile: configuration.toolCAFile
        ) { SystemClock.monotonicSeconds() }
        let remote = RemoteServers(
            database: database,
            secrets: shared.secrets,
            http: http,
            tokens: remoteTokens(shared.accounts.tokens),
            revokeTokens: { [accounts = shared.accounts] in await accounts.revokeAll(of: $0) },
            version: ServerVersion.text,
            clock: shared.clock,
            logger: shared.logger
        )
        let ports = ToolService.Ports(
            place: { place throws(APIError) in
                switch place {
                case .project(let id):
                    let found = try await agents.place(ofProject: id)
                    return (found.machine, found.path)
                case .session(let id):
                    let session = try await database.use { store throws(PersistenceError) in
                        try await store.session(id: id)
                    }
                    guard let session else { throw .sessionNotFound }
                    return (session.machine, session.projectPath ?? "")
                case .directory(let machine, let path):
                    let found = try await agents.place(onMachine: machine, path: path)
                    return (found.machine, found.path)
                }
            },
            report: { place, responder throws(APIError) in
                let name = agents.links.link(of: place.machine)?.machineName ?? "the machine"
                let found = WorkspacePlace(machine: place.machine, machineName: name, path: place.path)
                return try await agents.toolServers(at: found, seconds: listingSeconds, by: responder)
            }
        )
        return ToolService(
            database: database,
            ports: ports,
            remote: remote,
            audit: shared.audit,
            clock: shared.clock
        )
    }
}

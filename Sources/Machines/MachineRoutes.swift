internal import API
package import EventModel
internal import HTTPModel
internal import JSON
package import Persistence

/// Reads the agents of all machines that have ever had one.
package typealias AgentReader = @Sendable (PostgresStore) async throws(PersistenceError) -> [MachineID: MachineAgent]

/// `/v1/machines`: the machines that run Claude Code.
struct MachineRoutes: Sendable {
    let database: any StoreAccess
    let reports: MachineReports
    let agents: AgentReader
    let releases: AgentReleases
    let clock: @Sendable () -> Timestamp

    var routes: [Route] {
        [
            Route(.get, "/v1/machines", .read, handler: list)
                .described("Machines, by name.", QueryParameter.pages, as: "MachinePage"),
            Route(.get, "/v1/machines/{id}", .read, handler: one)
                .described("One machine, by its number or its name.", as: "Machine", faults: [404]),
        ]
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let paging = try Paging(request.query, path: "/v1/machines", .whole)
        let machines = try await machines()
        return ListAnswer(paging, request, at: clock()).response("machines", whole: machines, of: ListedMachine.shape)
    }

    @Sendable private func one(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let name = request.parameters["id"] ?? ""
        guard let machine = try await database.machine(named: name),
            var found = try await machines().first(where: { $0.record.id == machine })
        else { throw .notFound("machine_not_found", "There is no machine '\(name)'.") }
        found.approvals = try await database.use { store throws(PersistenceError) in
            try await store.approvals(of: machine)
        }
        return .json(ListedMachine.shape, found)
    }

    private func machines() async throws(APIError) -> [ListedMachine] {
        let (records, agents) = try await database.use { [agents] store throws(PersistenceError) in
            (try await store.withCompleteness(try await store.machines()), try await agents(store))
        }
        return records.map { machine in
            var agent = agents[machine.id] ?? MachineAgent(.none)
            agent.update = releases.update(of: agent)
            return ListedMachine(
                record: machine,
                clock: reports.clock(of: machine.id),
                hooksVersion: reports.hooksVersion(of: machine.id),
                agent: agent
            )
        }
    }
}

/// A machine, with what it has reported to this server.
struct ListedMachine: Sendable {
    var record: MachineRecord
    var clock: MachineClock.Reading?
    var hooksVersion: String?
    var agent = MachineAgent(.none)
    /// Only of a machine that is read alone.
    var approvals: ReportedApprovals?

    static let shape = ObjectShape<ListedMachine>("Machine") { it in
        it.member("id") { String($0.record.id.rawValue) }
        it.member("name") { $0.record.name }
        it.member("reported_name") { $0.record.reportedName }
        it.member("created_at") { $0.record.createdAt }
        it.member("last_seen_at") { $0.record.lastSeenAt }
        it.member("session_count") { $0.record.sessionCount }
        it.object("completeness", Completeness.shape) { $0.record.completeness }
        it.object("clock", clockShape) { $0.clock }
        it.member("hooks_version") { $0.hooksVersion }
        it.object("agent", agentShape) { $0.agent }
        it.object("approvals", ReportedApprovals.shape) { $0.approvals }
    }

    private static let agentShape = ObjectShape<MachineAgent>("MachineAgent") { it in
        it.word("state") { $0.state }
        it.member("version") { $0.version }
        it.member("update") { $0.update }
        it.member("platform") { $0.platform }
        it.member("since") { $0.since }
        it.list("clients", of: clientShape) { $0.clients }
        it.object("may", mayShape) { $0.may }
    }

    private static let clientShape = ObjectShape<MachineAgent.Client> { it in
        it.member("version") { $0.version }
        it.member("path") { $0.path }
    }

    private static let mayShape = ObjectShape<MachineAgent.Permissions> { it in
        it.member("control") { $0.control }
        it.member("files") { $0.files }
        it.member("git") { $0.git }
        it.member("pty") { $0.pty }
        it.member("modes") { $0.modes }
        it.member("roots") { $0.roots }
        it.member("sessions") { Int64($0.sessions) }
    }

    private static let clockShape = ObjectShape<MachineClock.Reading> { it in
        it.member("offset_seconds") { ($0.offsetSeconds * 1000).rounded() / 1000 }
        it.member("drift_ppm") { $0.driftPPM.map { ($0 * 10).rounded() / 10 } }
        it.member("measured_at") { $0.measuredAt }
    }
}

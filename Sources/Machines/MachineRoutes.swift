internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence

/// `/v1/machines`: the machines that run Claude Code.
struct MachineRoutes: Sendable {
    let database: any StoreAccess
    let reports: MachineReports
    let clock: @Sendable () -> Timestamp

    var routes: [Route] {
        [
            Route(.get, "/v1/machines", .read, handler: list)
                .described("Machines, by name.", QueryParameter.pages, as: "MachinePage")
        ]
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let paging = try Paging(request.query, path: "/v1/machines", .whole)
        let records = try await database.use { store throws(PersistenceError) in
            try await store.withCompleteness(try await store.machines())
        }
        let machines = records.map { machine in
            ListedMachine(
                record: machine,
                clock: reports.clock(of: machine.id),
                hooksVersion: reports.hooksVersion(of: machine.id)
            )
        }
        return ListAnswer(paging, request, at: clock()).response("machines", whole: machines, of: ListedMachine.shape)
    }
}

/// A machine, with what it has reported to this server.
struct ListedMachine: Sendable {
    var record: MachineRecord
    var clock: MachineClock.Reading?
    var hooksVersion: String?

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
    }

    private static let clockShape = ObjectShape<MachineClock.Reading> { it in
        it.member("offset_seconds") { ($0.offsetSeconds * 1000).rounded() / 1000 }
        it.member("drift_ppm") { $0.driftPPM.map { ($0 * 10).rounded() / 10 } }
        it.member("measured_at") { $0.measuredAt }
    }
}

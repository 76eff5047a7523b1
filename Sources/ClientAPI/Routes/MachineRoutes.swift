internal import EventModel
internal import HTTPModel
internal import JSON

/// `/v1/machines`: the machines that run Claude Code.
struct MachineRoutes: Sendable {
    let store: any EventStore
    let clock: @Sendable () -> Timestamp

    var routes: [Route] {
        [
            Route(.get, "/v1/machines", .read, handler: list)
                .described("Machines, by name.", QueryParameter.pages, as: "MachinePage")
        ]
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let paging = try Paging(request.query, path: "/v1/machines", .whole)
        let machines = try await store.machines()
        return ListAnswer(paging, request, at: clock()).response("machines", whole: machines, of: MachineRecord.shape)
    }
}

extension MachineRecord {
    static let shape = ObjectShape<MachineRecord>("Machine") { it in
        it.member("id") { String($0.id.rawValue) }
        it.member("name") { $0.name }
        it.member("reported_name") { $0.reportedName }
        it.member("created_at") { $0.createdAt }
        it.member("last_seen_at") { $0.lastSeenAt }
        it.member("session_count") { $0.sessionCount }
        it.object("completeness", Completeness.shape) { $0.completeness }
    }
}

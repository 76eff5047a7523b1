internal import EventModel
internal import HTTPModel
internal import JSON

/// `/v1/machines`: where Claude Code runs.
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
        return ListAnswer(paging, request, at: clock()).response("machines", whole: machines) { machine, writer in
            writer.beginObject()
            writer.field("id", String(machine.id.rawValue))
            writer.field("name", machine.name)
            writer.field("reported_name", machine.reportedName)
            writer.field("created_at", machine.createdAt.description)
            writer.field("last_seen_at", machine.lastSeenAt?.description)
            writer.field("session_count", machine.sessionCount)
            writer.endObject()
        }
    }
}

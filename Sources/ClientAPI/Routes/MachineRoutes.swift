internal import EventModel
internal import HTTPModel
internal import JSON

/// `/v1/machines`: where Claude Code runs.
struct MachineRoutes: Sendable {
    let store: any EventStore

    var routes: [Route] {
        [Route(.get, "/v1/machines", .read, handler: list).described("Machines, by name.", as: "MachineList")]
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let machines = try await store.machines()
        var writer = JSONWriter(reserving: 256 * (machines.count + 1))
        writer.beginObject()
        writer.beginArray("machines")
        for machine in machines {
            writer.beginObject()
            writer.field("id", String(machine.id.rawValue))
            writer.field("name", machine.name)
            writer.field("reported_name", machine.reportedName)
            writer.field("created_at", machine.createdAt.description)
            writer.field("last_seen_at", machine.lastSeenAt?.description)
            writer.field("session_count", machine.sessionCount)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return .json(writer.bytes)
    }
}

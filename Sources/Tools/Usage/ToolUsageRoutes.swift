internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence

/// `/v1/tools/usage`: how often tools are called, by tool or by server.
struct ToolUsageRoutes: Sendable {
    let registry: ToolService

    var routes: [Route] {
        [
            Route(.get, "/v1/tools/usage", .read, handler: usage).described(
                "Calls of tools in a time, by tool or by server, the most called first.",
                QueryParameter.pages + [
                    .date("from", "Calls from this time on."), .date("to", "Calls before this time or to this day."),
                    .machine, .choice("by", ["tool", "server"], "What has a row; usually a tool."),
                ],
                as: "ToolUsagePage",
                faults: [404]
            )
        ]
    }

    @Sendable private func usage(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let paging = try Paging(request.query, path: "/v1/tools/usage", .whole)
        let (from, to) = (try request.query.time("from"), try request.query.time("to", addingDay: true))
        var machine: MachineID?
        if let name = request.query.machineName {
            machine = try await registry.database.machine(named: name)
            guard machine != nil else { throw ToolCallRefusal.unknownMachine }
        }
        let (chosen, byTool) = (machine, request.query["by"] != "server")
        let sums = try await registry.database.use { store throws(PersistenceError) in
            try await store.toolUsage(from: from, to: to, on: chosen, byTool: byTool)
        }
        return ListAnswer(paging, request, at: registry.clock()).response("usage", whole: sums, of: ToolUsage.shape)
    }

    static let schemas: [(SchemaName, String)] =
        [("ToolUsagePage", JSONSchema.page("usage", "ToolUsage"))] + ToolUsage.shape.definitions
}

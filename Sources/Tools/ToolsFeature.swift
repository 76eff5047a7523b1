package import API
internal import HTTPModel
internal import Persistence

extension Feature {
    /// The MCP servers of all machines, their tools, and the calls of these.
    ///
    /// - Parameter limiter: has sessions' processes deny tools.
    package static func tools(
        _ service: ToolService,
        _ calls: ToolCallService,
        limiter: SessionToolLimiter
    ) -> Feature {
        let sessions = SessionToolRoutes(registry: service, limiter: limiter)
        var feature = Feature("tools")
        feature.routes =
            ToolRoutes(service: service).routes + ToolCallRoutes(service: calls).routes + sessions.routes
            + ToolUsageRoutes(registry: service).routes + ToolProfiles(service).routes
        feature.schemas =
            ToolRoutes.schemas + ToolCallRoutes.schemas + SessionToolRoutes.schemas
            + ToolUsageRoutes.schemas + ToolProfiles.schemas
        feature.retention = [
            .once(ToolStatements.forget, .seconds(400 * 86_400)),
            .once(ToolCallStatements.forget, .seconds(400 * 86_400)),
            .once(ToolCallStatements.forgetRefused, .seconds(86_400)),
            .once(ToolCallStatements.forgetResults, .seconds(3600)),
            .once(ToolCallStatements.forgetKeys, .seconds(86_400)),
            .once(SessionToolStatements.forget, .seconds(400 * 86_400)),
        ]
        feature.erasure = [ErasureStep([ToolCallStatements.erase, SessionToolStatements.erase])]
        feature.metrics = { text in
            text.gauge("monitor_tool_calls_open", "Calls of tools that wait or run", Double(calls.open.ids.count))
            text.metric("monitor_tool_calls_total", .counter, "Calls of tools that have ended, by outcome")
            for state in ToolCall.State.allCases where state != .waiting && state != .running {
                let count = Double(calls.open.counts[state] ?? 0)
                text.sample("monitor_tool_calls_total", labels: [("outcome", state.rawValue)], count)
            }
        }
        feature.sealed = [SealedColumn("headers", of: "remote_mcp_servers", row: "server_id")]
        feature.run = {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await calls.tend() }
                group.addTask { await service.remote.run() }
            }
        }
        return feature
    }
}

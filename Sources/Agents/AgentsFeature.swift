package import API
internal import HTTPModel
internal import Persistence

extension Feature {
    /// The machines' agents, and the sessions that they run.
    package static func agents(_ service: AgentService) -> Feature {
        var feature = Feature("agents")
        feature.routes =
            AgentRoutes(service: service).routes + TerminalRoutes(service: service).routes
            + FileRoutes(service: service).routes + GitRoutes(service: service).routes
            + ChangeRoutes(service: service).routes
        feature.schemas =
            AgentRoutes.schemas + TerminalRoutes.schemas + FileRoutes.schemas + GitRoutes.schemas + ChangeRoutes.schemas
        feature.retention = [.once(ToldChangeStatements.forget, .ofEvents())]
        feature.erasure = [ErasureStep([ToldChangeStatements.erase])]
        feature.metrics = { [links = service.links] text in
            text.gauge("monitor_agents", "Agents that are connected to this server.", Double(links.count))
            text.gauge(
                "monitor_agent_sessions",
                "Sessions that the connected agents run.",
                Double(links.sessionCount)
            )
        }
        return feature
    }
}

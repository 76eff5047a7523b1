package import API
internal import Persistence

extension Feature {
    /// The MCP servers of all machines, and their tools.
    package static func tools(_ service: ToolService) -> Feature {
        var feature = Feature("tools")
        feature.routes = ToolRoutes(service: service).routes
        feature.schemas = ToolRoutes.schemas
        feature.retention = [.once(ToolStatements.forget, .seconds(400 * 86_400))]
        return feature
    }
}

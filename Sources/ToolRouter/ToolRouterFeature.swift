package import API
package import OAuth
internal import Persistence

extension Feature {
    /// The tool router, as Composio's clients use it.
    package static func toolRouter(_ router: ToolRouter, accounts: AccountService) -> Feature {
        let (sessions, calls) = (SessionRoutes(router: router), ExecuteRoutes(router: router))
        let tools = ToolListRoutes(router: router)
        let (links, users) = (LinkRoutes(router: router), AccountRoutes(router: router, accounts: accounts))
        var feature = Feature("tool router")
        feature.routes = ["/api/v3", "/api/v3.1"].flatMap { prefix in
            sessions.routes(prefix) + calls.routes(prefix) + tools.routes(prefix) + links.routes(prefix)
                + users.routes(prefix)
        }
        .map { $0.described { $0.failing(as: RouterFault.schema.0) } }
        feature.schemas =
            SessionRoutes.schemas + ExecuteRoutes.schemas + ToolListRoutes.schemas + LinkRoutes.schemas
            + AccountRoutes.schemas + [RouterFault.schema]
        feature.errorForms = RouterFault.prefixes.map { ($0, { RouterFault.response($0, requestID: $1) }) }
        feature.retention = [
            .once(SessionStatements.forget, .seconds(RouterSession.days * 86_400)),
            .once(WaitStatements.forget, .seconds(3600)),
        ]
        return feature
    }
}

internal import HTTPModel
internal import JSON
internal import Tools

/// A toolkit of a session, with its connection.
struct SessionToolkit: Sendable {
    var toolkit: Toolkit
    var connection: ToolkitConnection

    private static let account = ObjectShape<ConnectedAccount> { it in
        it.member("id") { $0.id }
        it.member("user_id") { $0.userID }
        it.member("status") { $0.status }
        it.member("created_at") { $0.createdAt }
        it.object("auth_config") { it in
            it.member("id") { $0.authConfigID }
            it.member("auth_scheme") { $0.authScheme }
            it.member("is_composio_managed") { _ in false }
        }
    }

    static let shape = ObjectShape<SessionToolkit>("SessionToolkit") { it in
        it.member("name") { $0.toolkit.name }
        it.member("slug") { $0.toolkit.slug }
        it.member("enabled") { _ in true }
        it.member("is_no_auth") { $0.connection.state == .none }
        it.member("composio_managed_auth_schemes") { _ in [String]() }
        it.object("meta") { it in
            it.member("logo") { _ in "" }
            it.member("description") { $0.toolkit.summary }
        }
        it.objectOrNull("connected_account", account) { $0.connection.account }
    }
}

/// The toolkits and tools of sessions.
struct SessionTools: Sendable {
    let router: ToolRouter

    /// - Parameter slugs: only these toolkits; `nil` means all of the session.
    func toolkits(
        of session: RouterSession,
        _ slugs: [String]? = nil,
        _ caller: RouterCaller
    ) async throws(APIError) -> [SessionToolkit] {
        let found = try await router.toolkits.toolkits(session.config.filter, slugs, for: caller.principal)
        let connections = try await router.connections.connections(
            of: caller.owner(session.userID),
            to: found.map(RouterToolkit.init)
        )
        return found.map { SessionToolkit(toolkit: $0, connection: connections[$0.slug] ?? .noLogin) }
    }

    /// The tools that the session lists besides those of the tool router itself.
    func preloaded(
        of session: RouterSession,
        limit: Int,
        offset: Int = 0,
        _ caller: RouterCaller
    ) async throws(APIError) -> (tools: [RouterTool], total: Int) {
        var filter = session.config.filter
        if case .tools(let slugs) = session.config.preload {
            guard !slugs.isEmpty else { return ([], 0) }
            filter.slugs = slugs
        }
        let (found, total) = try await router.toolkits.tools(
            filter,
            limit: limit,
            offset: offset,
            for: caller.principal
        )
        return (found.map { RouterTool($0) }, Int(clamping: total))
    }
}

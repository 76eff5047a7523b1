internal import EventModel
internal import JSON
internal import Tools

/// How the users of a toolkit log in. Each MCP server has one; nobody needs to make it.
struct AuthConfig: Sendable {
    var toolkit: Toolkit
    /// The number of active accounts of the key.
    var connections: Int
    var createdAt: Timestamp

    var id: String { AuthConfig.id(of: toolkit.serverID) }

    private static let (own, servers) = ("ac_", "mcp_")

    static func id(of server: String) -> String { own + server.dropFirst(servers.count) }

    /// The id of the MCP server; `nil` if the text is not the id of a configuration.
    static func server(of id: String) -> String? { id.hasPrefix(own) ? servers + id.dropFirst(own.count) : nil }

    static let shape = ObjectShape<AuthConfig>("RouterAuthConfig") { it in
        it.member("id") { $0.id }
        it.member("uuid") { $0.id }
        it.member("name") { $0.toolkit.name }
        it.constant("type", "default")
        it.object("toolkit") { it in
            it.member("slug") { $0.toolkit.slug }
            it.member("logo") { _ in "" }
        }
        it.constant("auth_scheme", "OAUTH2")
        it.member("is_composio_managed") { _ in false }
        it.constant("status", "ENABLED")
        it.member("no_of_connections") { $0.connections }
        it.member("created_at") { $0.createdAt }
        it.member("last_updated_at") { $0.createdAt }
        it.object("tool_access_config") { _ in }
        it.object("credentials") { _ in }
    }

    /// The answer to a request to make one.
    static let made = ObjectShape<AuthConfig>("MadeRouterAuthConfig") { it in
        it.object("toolkit") { $0.member("slug") { $0.toolkit.slug } }
        it.object("auth_config") { it in
            it.member("id") { $0.id }
            it.constant("auth_scheme", "OAUTH2")
            it.member("is_composio_managed") { _ in false }
        }
    }
}

import ArgumentParser
import Foundation

struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Create, list and revoke the keys with which machines post events.",
        subcommands: [Create.self, List.self, Grant.self, RevokeGrant.self, Revoke.self]
    )

    struct Create: ServerCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a machine key. Standard output contains only the key.",
            discussion: """
                The server keeps only a hash: the key is shown this once. For a script:
                  KEY=$(monitorctl key create laptop)
                """
        )

        @Argument(help: "The machine's name.")
        var name: String

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            let request = try JSONEncoder().encode(["name": name])
            let reply = try await client.expectSuccess(client.send("POST", "/v1/keys", body: request))
            if connection.json { return try Output.document(reply.body) }
            let key = try ServerJSON.decode(NewKey.self, reply.body)
            try Output.line(TerminalText.printable(key.key))
            Output.note("Key \(key.id.text) for \(TerminalText.printable(key.name)). It is not shown again.")
            Output.note("On that machine: hooks/install.sh --url \(client.server.absoluteString) --key KEY")
        }
    }

    struct List: ServerCommand {
        static let configuration = CommandConfiguration(abstract: "List the machine keys, also revoked ones.")

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            let body = try await client.get("/v1/keys")
            if connection.json { return try Output.document(body) }
            let keys = try ServerJSON.decode(KeyList.self, body).keys
            let now = Date()
            try Table.show(
                columns: [
                    .init(heading: "ID"), .init(heading: "NAME"), .init(heading: "KEY"),
                    .init(heading: "CREATED", alignment: .right), .init(heading: "USED", alignment: .right),
                    .init(heading: "STATE"),
                ],
                rows: keys.map { key in
                    [
                        Table.Cell(key.id?.text ?? "-"), Table.Cell(key.name ?? "-"),
                        Table.Cell(key.prefix.map { $0 + "…" } ?? "-"),
                        Table.Cell(Moments.age(of: key.createdAt, now: now)),
                        Table.Cell(key.lastUsedAt == nil ? "never" : Moments.age(of: key.lastUsedAt, now: now)),
                        key.revokedAt == nil
                            ? Table.Cell("valid", style: .green) : Table.Cell("revoked", style: .dim),
                    ]
                },
                ifEmpty: "No machine keys yet: monitorctl key create NAME"
            )
        }
    }

    struct Revoke: ServerCommand {
        static let configuration = CommandConfiguration(abstract: "Revoke a key. The server then refuses its machine.")

        @Argument(help: "The key's id or name.")
        var key: String

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            let reply = try await client.expectSuccess(
                client.send("DELETE", try KeyCommand.path(of: key, in: "/v1/keys/"))
            )
            if connection.json { return try Output.document(reply.body) }
            try Output.line("revoked \(TerminalText.printable(key))")
        }
    }

    enum Permission: String, CaseIterable, ExpressibleByArgument {
        case approve
        case tools
    }

    struct Grant: ServerCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let programs with a machine key do more by /mcp.",
            discussion: """
                approve: a program with the key may call the tool 'approve', although no approvals file of the machine \
                limits what may be approved. The hooks and 'monitor-agent mcp' do not need this grant.
                tools: a program with the key may call the tools of the machine's MCP servers of that name. A person \
                is asked before each call.
                  monitorctl key grant laptop tools git
                """
        )

        @Argument(help: "The key's id or name.")
        var key: String

        @Argument(help: "What to grant.")
        var permission: Permission

        @Argument(help: "With 'tools', the name of the MCP server.")
        var server: String?

        @OptionGroup var connection: ConnectionOptions

        func validate() throws { try KeyCommand.check(permission, server) }

        func execute(_ client: HTTPClient) async throws {
            try await KeyCommand.change("PUT", key, permission, server, client, connection)
        }
    }

    struct RevokeGrant: ServerCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke-grant",
            abstract: "Take a grant from a machine key."
        )

        @Argument(help: "The key's id or name.")
        var key: String

        @Argument(help: "What to withdraw.")
        var permission: Permission

        @Argument(help: "With 'tools', the name of the MCP server.")
        var server: String?

        @OptionGroup var connection: ConnectionOptions

        func validate() throws { try KeyCommand.check(permission, server) }

        func execute(_ client: HTTPClient) async throws {
            try await KeyCommand.change("DELETE", key, permission, server, client, connection)
        }
    }

    private static func check(_ permission: Permission, _ server: String?) throws {
        guard (permission == .tools) == (server != nil) else {
            throw ValidationError("Name an MCP server with 'tools', and only there.")
        }
    }

    private static func change(
        _ method: String,
        _ key: String,
        _ permission: Permission,
        _ server: String?,
        _ client: HTTPClient,
        _ connection: ConnectionOptions
    ) async throws {
        var path = try path(of: key, in: "/v1/keys/") + "/grants/\(permission.rawValue)"
        if let server { path = try self.path(of: server, in: path + "/") }
        let reply = try await client.expectSuccess(client.send(method, path))
        if connection.json { return try Output.document(reply.body) }
        let word = method == "PUT" ? "granted" : "withdrawn from"
        let what = permission.rawValue + (server.map { " \(TerminalText.printable($0))" } ?? "")
        try Output.line("\(what) \(word) \(TerminalText.printable(key))")
    }

    /// A name may contain any character, so everything outside RFC 3986's unreserved set is escaped.
    static func path(of key: String, in collection: String) throws(CommandError) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        )
        guard !key.isEmpty, let escaped = key.addingPercentEncoding(withAllowedCharacters: unreserved) else {
            throw .refused("the key to revoke is missing")
        }
        return collection + escaped
    }
}

import ArgumentParser
import Foundation

struct ToolsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tools",
        abstract: "MCP servers, and those that the monitor itself calls.",
        subcommands: [
            Servers.self, Add.self, Remove.self, Connect.self, AccountsCommand.self, Profiles.self, SetProfile.self,
            RemoveProfile.self,
        ]
    )

    struct Servers: ServerCommand {
        static let configuration = CommandConfiguration(abstract: "List the MCP servers of machines, and remote ones.")

        @Flag(help: "Only remote servers.")
        var remote = false

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            let body = try await client.get("/v1/mcp/servers")
            if connection.json { return try Output.document(body) }
            let servers = try ServerJSON.decode(ListedServers.self, body).servers
                .filter { !remote || $0.machineId == nil }
            try Table.show(
                columns: [
                    .init(heading: "ID"), .init(heading: "NAME"), .init(heading: "MACHINE"), .init(heading: "STATE"),
                    .init(heading: "TOOLS", alignment: .right), .init(heading: "URL"), .init(heading: "REASON"),
                ],
                rows: servers.map { server in
                    [
                        Table.Cell(server.id), Table.Cell(server.name), Table.Cell(server.machineId ?? "-"),
                        Table.Cell(server.state, style: server.state == "connected" ? .green : .yellow),
                        Table.Cell(String(server.toolCount)), Table.Cell(server.url ?? "-"),
                        Table.Cell(server.reason ?? ""),
                    ]
                },
                ifEmpty: "No MCP servers."
            )
        }
    }

    struct Add: ServerCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a remote MCP server, which the monitor itself calls.",
            discussion: """
                A person is asked about each call of its tools, unless the file tools.policy says otherwise. Headers \
                are read from files, so that no credential stands in the command line:
                  monitorctl tools add crm https://crm.example/mcp --header-file Authorization=/run/secrets/crm
                """
        )

        @Argument(help: "A short name: the first part of the names of its tools.")
        var name: String

        @Argument(help: "An https URL without a query. http is for networks of MONITOR_TOOL_NETWORKS.")
        var url: String

        @Option(help: "A header of each request: NAME=FILE, with the value on the file's first line. May be repeated.")
        var headerFile: [String] = []

        @Flag(help: "Believe the server which of its tools only read. These are called without asking.")
        var trustHints = false

        @OptionGroup var connection: ConnectionOptions

        private func headers() throws -> [String: String] {
            var headers: [String: String] = [:]
            for word in headerFile {
                let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
                guard parts.count == 2 else { throw ValidationError("--header-file takes NAME=FILE") }
                guard let text = try? String(contentsOfFile: parts[1], encoding: .utf8),
                    let line = text.split(whereSeparator: \.isNewline).first
                else { throw ValidationError("\(parts[1]) cannot be read, or is empty") }
                headers[parts[0]] = String(line)
            }
            return headers
        }

        func execute(_ client: HTTPClient) async throws {
            let wish: [String: Any] = [
                "name": name, "url": url, "headers": try headers(), "trust_hints": trustHints,
            ]
            let body = try JSONSerialization.data(withJSONObject: wish)
            let reply = try await client.expectSuccess(client.send("POST", "/v1/mcp/servers", body: body))
            if connection.json { return try Output.document(reply.body) }
            let server = try ServerJSON.decode(ListedServer.self, reply.body)
            try Output.line("added \(TerminalText.printable(server.id)); its tools are listed soon")
        }
    }

    struct Remove: ServerCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a remote MCP server.",
            discussion: "The definitions of its tools stay pinned, in case it is added again under the same name."
        )

        @Argument(help: "The id of the server: see 'monitorctl tools servers'.")
        var id: String

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            let path = "/v1/mcp/servers/\(try PathSegment.encode(id))"
            _ = try await client.expectSuccess(client.send("DELETE", path))
            if !connection.json { try Output.line("removed \(TerminalText.printable(id))") }
        }
    }
}

private struct ListedServer: Decodable {
    var id: String
    var name: String
    var machineId: String?
    var state: String
    var toolCount: Int
    var url: String?
    var reason: String?
}

private struct ListedServers: Decodable {
    var servers: [ListedServer]
}

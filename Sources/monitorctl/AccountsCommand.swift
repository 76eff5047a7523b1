import ArgumentParser
import Foundation

extension ToolsCommand {
    struct Connect: ServerCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a link by which a person logs in at a remote MCP server.",
            discussion: """
                The link works once, in any browser that reaches the server, for ten minutes. Programs use this login \
                only if their key shares it: monitorctl apikey create NAME --may tools --share SERVER
                """
        )

        @Argument(help: "The id of the server: see 'monitorctl tools servers'.")
        var id: String

        @Option(help: "The scopes to ask for, with spaces between.")
        var scope: String?

        @Option(help: "The id of a client that you have registered at the authorization server.")
        var clientID: String?

        @Option(help: "A file with the client's secret on its first line.")
        var clientSecretFile: String?

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            var wish: [String: String] = [:]
            wish["scope"] = scope
            wish["client_id"] = clientID
            if let path = clientSecretFile {
                guard let text = try? String(contentsOfFile: path, encoding: .utf8),
                    let line = text.split(whereSeparator: \.isNewline).first
                else { throw ValidationError("\(path) cannot be read, or is empty") }
                wish["client_secret"] = String(line)
            }
            let body = try JSONSerialization.data(withJSONObject: wish)
            let path = "/v1/mcp/servers/\(try PathSegment.encode(id))/link"
            let reply = try await client.expectSuccess(client.send("POST", path, body: body))
            if connection.json { return try Output.document(reply.body) }
            let link = try ServerJSON.decode(LoginLink.self, reply.body)
            try Output.line(TerminalText.printable(link.linkUrl))
            Output.note("Open this in a browser within ten minutes. It works once.")
        }
    }

    struct AccountsCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "accounts",
            abstract: "The accounts of programs' users at remote MCP servers.",
            subcommands: [List.self, Remove.self],
            defaultSubcommand: List.self
        )
    }
}

extension ToolsCommand.AccountsCommand {
    struct List: ServerCommand {
        static let configuration = CommandConfiguration(abstract: "List the accounts, the latest first.")

        @Option(help: "Only accounts at this server, by its id.")
        var server: String?

        @Option(help: "Only accounts of this API key, by its id.")
        var key: Int64?

        @Option(help: "Only accounts of this user.")
        var user: String?

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            var query: [URLQueryItem] = [URLQueryItem(name: "limit", value: "200")]
            if let server { query.append(URLQueryItem(name: "server_id", value: server)) }
            if let key { query.append(URLQueryItem(name: "api_key", value: String(key))) }
            if let user { query.append(URLQueryItem(name: "user_id", value: user)) }
            var accounts: [ListedAccount] = []
            var cursor: String?
            repeat {
                let items = query + (cursor.map { [URLQueryItem(name: "cursor", value: $0)] } ?? [])
                let body = try await client.get("/v1/mcp/accounts", query: items)
                if connection.json { return try Output.document(body) }
                let page = try ServerJSON.decode(ListedAccounts.self, body)
                accounts += page.accounts
                cursor = page.nextCursor
            } while cursor != nil
            try Table.show(
                columns: [
                    .init(heading: "ID"), .init(heading: "KEY"), .init(heading: "USER"), .init(heading: "SERVER"),
                    .init(heading: "STATE"), .init(heading: "SINCE"), .init(heading: "REASON"),
                ],
                rows: accounts.map { account in
                    [
                        Table.Cell(account.id), Table.Cell(account.apiKey), Table.Cell(account.userId),
                        Table.Cell(account.server),
                        Table.Cell(account.status.lowercased(), style: account.status == "ACTIVE" ? .green : .yellow),
                        Table.Cell(account.updatedAt), Table.Cell(account.reason ?? ""),
                    ]
                },
                ifEmpty: "No accounts."
            )
        }
    }

    struct Remove: ServerCommand {
        static let configuration = CommandConfiguration(
            abstract: "Have the tokens of an account revoked.",
            discussion: "The program of the account sees it as REVOKED, and needs a new login of its user."
        )

        @Argument(help: "The id of the account.")
        var id: String

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            let path = "/v1/mcp/accounts/\(try PathSegment.encode(id))"
            let reply = try await client.expectSuccess(client.send("DELETE", path))
            if connection.json { return try Output.document(reply.body) }
            let done = try ServerJSON.decode(RevokedAccount.self, reply.body)
            try Output.line("removed \(TerminalText.printable(done.id))")
            if !done.revoked { Output.note("The authorization server has not confirmed that the tokens are revoked.") }
        }
    }
}

private struct LoginLink: Decodable {
    var linkUrl: String
}

private struct ListedAccount: Decodable {
    var id: String
    var apiKey: String
    var userId: String
    var server: String
    var status: String
    var reason: String?
    var updatedAt: String
}

private struct ListedAccounts: Decodable {
    var accounts: [ListedAccount]
    var nextCursor: String?
}

private struct RevokedAccount: Decodable {
    var id: String
    var revoked: Bool
}

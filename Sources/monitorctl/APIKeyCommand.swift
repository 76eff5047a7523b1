import ArgumentParser
import Foundation

struct APIKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apikey",
        abstract: "Create, list and revoke the keys of programs.",
        subcommands: [Create.self, List.self, Revoke.self]
    )

    /// What a program may do. No program answers for a person, or administers.
    enum Capability: String, CaseIterable, Encodable {
        case read
        case control
        case chat
        case tools

        static func list(_ text: String) throws -> [Capability] {
            try text.split(separator: ",").map { word in
                guard let capability = Capability(rawValue: String(word)) else {
                    throw ValidationError("--may takes read, chat, tools and control, separated by commas")
                }
                return capability
            }
        }
    }

    struct Create: ServerCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a key for a program. Standard output contains only the key.",
            discussion: """
                read: see and subscribe. chat: let the models of machines answer, without tools and files. tools: run \
                the tools of machines. control: drive machines; only the admin token can give it. The server keeps \
                a hash of the key: it is shown this once. For a script:
                  KEY=$(monitorctl apikey create editor --may chat --machine studio --budget 5)
                """
        )

        @Argument(help: "A word for the program. No two valid keys have the same.")
        var name: String

        @Option(
            help: "What the program may do: read, chat, tools, control, separated by commas.",
            transform: Capability.list
        )
        var may: [Capability]

        @Option(
            help: """
                Chat, tools and control only on the machine with this name; may be repeated. What the key reads is of \
                all machines. Default: all machines.
                """
        )
        var machine: [String] = []

        @Option(help: "The models that the program may name in chats, separated by commas. Default: any.")
        var model: String?

        @Option(help: "US dollars that the key's chats may cost in a day.")
        var budget: Double?

        @Option(help: "Requests a minute. Default: the server's limit.")
        var rate: Int64?

        @Option(
            help: "When the key ends: a date in UTC, an RFC 3339 time, or a number of days such as 30d.",
            transform: KeyEnd.init
        )
        var expires: KeyEnd?

        @Option(
            help: """
                The MCP servers whose tools the program may run, by their names, separated by commas. Default: all \
                that its capabilities cover.
                """
        )
        var toolkit: String?

        @Option(
            help: """
                A remote MCP server that the program may use with your own login, in the tool router; may be repeated. \
                Default: each of the program's users logs in.
                """
        )
        var share: [String] = []

        @OptionGroup var connection: ConnectionOptions

        private struct Wish: Encodable {
            var name: String
            var capabilities: [Capability]
            var machines: [String]?
            var models: [String]?
            var dailyBudget: Double?
            var requestsPerMinute: Int64?
            var expiresAt: String?
            var toolkits: [String]?
            var shares: [String]?
        }

        func execute(_ client: HTTPClient) async throws {
            let wish = Wish(
                name: name,
                capabilities: may,
                machines: machine.isEmpty ? nil : machine,
                models: model?.split(separator: ",").map { String($0) },
                dailyBudget: budget,
                requestsPerMinute: rate,
                expiresAt: expires?.text(now: Date()),
                toolkits: toolkit?.split(separator: ",").map { String($0) },
                shares: share.isEmpty ? nil : share
            )
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            let reply = try await client.expectSuccess(client.send("POST", "/v1/api-keys", body: encoder.encode(wish)))
            if connection.json { return try Output.document(reply.body) }
            let key = try ServerJSON.decode(NewKey.self, reply.body)
            try Output.line(TerminalText.printable(key.key))
            Output.note("API key \(key.id.text) for \(TerminalText.printable(key.name)). It is not shown again.")
        }
    }

    struct List: ServerCommand {
        static let configuration = CommandConfiguration(abstract: "List the keys of programs, also revoked ones.")

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            let body = try await client.get("/v1/api-keys")
            if connection.json { return try Output.document(body) }
            let keys = try ServerJSON.decode(APIKeyList.self, body).apiKeys
            let now = Date()
            try Table.show(
                columns: [
                    .init(heading: "ID"), .init(heading: "NAME"), .init(heading: "KEY"), .init(heading: "MAY"),
                    .init(heading: "BUDGET", alignment: .right), .init(heading: "CREATED", alignment: .right),
                    .init(heading: "USED", alignment: .right), .init(heading: "STATE"),
                ],
                rows: keys.map { key in
                    [
                        Table.Cell(key.id?.text ?? "-"), Table.Cell(key.name ?? "-"),
                        Table.Cell(key.prefix.map { $0 + "…" } ?? "-"), Table.Cell(key.rights),
                        Table.Cell(key.dailyBudget.map { String(format: "$%g", $0) } ?? "-"),
                        Table.Cell(Moments.age(of: key.createdAt, now: now)),
                        Table.Cell(key.lastUsedAt == nil ? "never" : Moments.age(of: key.lastUsedAt, now: now)),
                        key.state(now: now),
                    ]
                },
                ifEmpty: "No API keys yet: monitorctl apikey create NAME --may LIST"
            )
        }
    }

    struct Revoke: ServerCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke the key of a program. The server then refuses it, and closes what it has open."
        )

        @Argument(help: "The key's id or name.")
        var key: String

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            let path = try KeyCommand.path(of: key, in: "/v1/api-keys/")
            let reply = try await client.expectSuccess(client.send("DELETE", path))
            if connection.json { return try Output.document(reply.body) }
            try Output.line("revoked \(TerminalText.printable(key))")
        }
    }
}

/// The end of a key as the command line names it.
enum KeyEnd: Equatable {
    case days(Int)
    /// The server reads it.
    case time(String)

    init(_ text: String) throws {
        guard text.hasSuffix("d") else {
            self = .time(text)
            return
        }
        guard let days = Int(text.dropLast()), (1...36_500).contains(days) else {
            throw ValidationError("--expires takes a date, an RFC 3339 time, or a number of days such as 30d")
        }
        self = .days(days)
    }

    func text(now: Date) -> String {
        switch self {
        case .days(let days): now.addingTimeInterval(Double(days) * 86_400).formatted(.iso8601)
        case .time(let text): text
        }
    }
}

/// The fields of the server's list that the table shows. Every field may be missing.
struct APIKeyList: Decodable {
    struct Key: Decodable {
        var id: LooseText?
        var name: String?
        var prefix: String?
        var capabilities: [String]?
        var machines: [String: [String]?]?
        var dailyBudget: Double?
        var createdAt: String?
        var lastUsedAt: String?
        var expiresAt: String?
        var revokedAt: String?
    }
    var apiKeys: [Key]
}

extension APIKeyList.Key {
    var rights: String { CapabilityWords.list(capabilities, machines) }

    func state(now: Date) -> Table.Cell {
        if revokedAt != nil { return Table.Cell("revoked", style: .dim) }
        if let end = Moments.parse(expiresAt), end <= now { return Table.Cell("expired", style: .dim) }
        return Table.Cell("valid", style: .green)
    }
}

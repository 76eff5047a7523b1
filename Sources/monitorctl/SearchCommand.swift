import ArgumentParser
import Foundation

struct SearchCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Search prompts, answers, and the input and output of tools. The newest results come first."
    )

    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case prompt, answer, thinking
        case toolInput = "tool_input"
        case toolOutput = "tool_output"
    }

    @Argument(help: "The words to find. Also \"a phrase\", or, -excluded.")
    var words: [String]

    @Option(help: "Only this session.")
    var session: String?

    @Option(help: "Only this machine.")
    var machine: String?

    @Option(help: "Only this project, by its id.")
    var project: String?

    @Option(help: "Only results of this kind.")
    var kind: Kind?

    @Option(help: "Only results since this date or time.")
    var from: String?

    @Option(help: "Only results until the end of this date, or before this time.")
    var to: String?

    @Option(help: "The maximum number of results.")
    var limit = 20

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard (1...200).contains(limit) else { throw ValidationError("--limit must be from 1 to 200") }
    }

    func execute(_ client: HTTPClient) async throws {
        let asked: [(String, String?)] = [
            ("q", words.joined(separator: " ")), ("session_id", session), ("machine_id", machine),
            ("project_id", project), ("kind", kind?.rawValue), ("from", from), ("to", to), ("limit", String(limit)),
        ]
        let query = asked.compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) } }
        let body = try await client.get("/v1/search", query: query)
        if connection.json { return try Output.document(body) }
        try Table.show(
            columns: [
                .init(heading: "TIME", minimum: 19), .init(heading: "SESSION", minimum: 8),
                .init(heading: "KIND", minimum: 6), .init(heading: "TEXT", minimum: 20),
            ],
            rows: try ServerJSON.decode(SearchList.self, body).results.map { result in
                [
                    Table.Cell(String(result.timestamp.prefix(19))), Table.Cell(result.sessionId),
                    Table.Cell(result.kind), Table.Cell(result.snippet),
                ]
            },
            ifEmpty: "Nothing found."
        )
    }
}

private struct SearchList: Decodable {
    struct Result: Decodable {
        var sessionId: String
        var kind: String
        var timestamp: String
        var snippet: String
    }

    var results: [Result]
}

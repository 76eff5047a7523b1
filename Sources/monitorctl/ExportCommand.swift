import ArgumentParser
import Foundation

struct ExportCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write everything that the server stores about a session to standard output.",
        discussion: """
            Characters that control a terminal or change the direction of text are written as \\u and digits in JSON \
            Lines, and left out of Markdown.
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case jsonl, markdown
    }

    @Argument(help: "The session's id.")
    var session: String

    @Option(help: "The format: JSON Lines, or the conversation as Markdown.")
    var format = Format.markdown

    @OptionGroup var connection: ConnectionOptions

    func execute(_ client: HTTPClient) async throws {
        let name = session.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? session
        let format = connection.json ? Format.jsonl : format
        let query = [URLQueryItem(name: "format", value: format.rawValue)]
        let body = try await client.get("/v1/sessions/\(name)/export", query: query)
        switch format {
        case .jsonl: try Output.document(body)
        case .markdown: try Output.text(body)
        }
    }
}

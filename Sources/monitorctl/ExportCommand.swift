import ArgumentParser
import Foundation

struct ExportCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write all that is stored of a session to standard output."
    )

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case jsonl, markdown
    }

    @Argument(help: "The session's id.")
    var session: String

    @Option(help: "JSON Lines, or the conversation as Markdown.")
    var format = Format.markdown

    @OptionGroup var connection: ConnectionOptions

    func execute(_ client: HTTPClient) async throws {
        let name = session.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? session
        let format = connection.json ? Format.jsonl : format
        let query = [URLQueryItem(name: "format", value: format.rawValue)]
        let body = try await client.get("/v1/sessions/\(name)/export", query: query)
        // Text from outside must not control the terminal.
        let isTerminal = isatty(STDOUT_FILENO) == 1
        FileHandle.standardOutput.write(isTerminal ? Data(ExportCommand.plain(body)) : body)
    }

    /// Without control characters, except for line breaks and tabs.
    static func plain(_ body: Data) -> [UInt8] {
        let text = String(decoding: body, as: UTF8.self)
        let kept = text.unicodeScalars.filter { scalar in
            scalar == "\n" || scalar == "\t" || scalar.properties.generalCategory != .control
        }
        return Array(String(String.UnicodeScalarView(kept)).utf8)
    }
}

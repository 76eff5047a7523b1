import ArgumentParser
import Foundation

struct ChangesCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "changes",
        abstract: "Show what a session has changed since it began.",
        discussion: """
            The machine's agent compares the work tree with its state at the beginning of the session.
              monitorctl changes 0197c1d2-5f00-7000-8000-000000000001
              monitorctl changes 0197c1d2-5f00-7000-8000-000000000001 src/app.ts
              monitorctl changes 0197c1d2-5f00-7000-8000-000000000001 --patch >session.patch
            """
    )

    @Argument(help: "The session's id.")
    var session: String

    @Argument(help: "A file, below the repository's root: prints its patch.")
    var path: String?

    @Flag(help: "Print all patches.")
    var patch = false

    @Flag(help: "The work tree at the last stop, and not as it is now.")
    var atStop = false

    @OptionGroup var connection: ConnectionOptions

    private static let mostFiles = 1000

    func execute(_ client: HTTPClient) async throws {
        let place = "/v1/sessions/\(try PathSegment.encode(session))/changes"
        var asked = [URLQueryItem(name: "limit", value: String(ChangesCommand.mostFiles))]
        if atStop { asked.append(URLQueryItem(name: "at", value: "stop")) }
        if let path { asked.append(URLQueryItem(name: "path", value: path)) }
        if !connection.json, patch || path != nil {
            asked.append(URLQueryItem(name: "format", value: "patch"))
            return try Output.text(try await client.get(place, query: asked))
        }
        let body = try await client.get(place, query: asked)
        if connection.json { return try Output.document(body) }
        var page = try ServerJSON.decode(ChangedFiles.self, body)
        for line in page.summary { try Output.line(line) }
        while true {
            for file in page.files { try Output.line(TerminalText.printable(file.line)) }
            guard let cursor = page.nextCursor else { return }
            let next = asked + [URLQueryItem(name: "cursor", value: cursor)]
            page = try ServerJSON.decode(ChangedFiles.self, try await client.get(place, query: next))
        }
    }
}

/// A page of a session's change set, as far as it is printed.
struct ChangedFiles: Decodable {
    struct Totals: Decodable {
        var files: Int
        var additions: Int
        var deletions: Int
    }

    struct File: Decodable {
        var path: String
        var oldPath: String?
        var status: String
        var additions: Int?
        var deletions: Int?
        var binary: Bool
        var by: String

        var line: String {
            let lines = binary ? "binary" : additions.flatMap { more in deletions.map { "+\(more) -\($0)" } } ?? "-"
            return "\(status) \(oldPath.map { "\($0) => " } ?? "")\(path) \(lines)"
                + (by == "session" ? "" : " (\(by))")
        }
    }

    var complete: Bool
    var reason: String?
    /// Where the agent is away: the seconds since it told this.
    var ageSeconds: Int?
    var totals: Totals
    var files: [File]
    var nextCursor: String?

    var summary: [String] {
        ["\(totals.files) files, +\(totals.additions) -\(totals.deletions)"]
            + (complete ? [] : ["Not complete: \(reason ?? "")"])
            + (ageSeconds.map { ["The machine's agent is not connected. It told this \($0) s ago."] } ?? [])
    }
}

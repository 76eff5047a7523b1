import ArgumentParser
import Foundation

/// Files on machines whose agent is connected.
struct FilesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "files",
        abstract: "Look at files on a machine whose agent is connected.",
        discussion: "The machine's file agent must say files=read for the directory.",
        subcommands: [List.self, Show.self, Find.self]
    )

    struct Place: ParsableArguments {
        @Argument(help: "The machine, by its name or number.")
        var machine: String

        @Argument(help: "The absolute path there.")
        var path: String

        func url(_ end: String) throws(CommandError) -> String {
            "/v1/machines/\(try PathSegment.encode(machine))/\(end)"
        }

        var query: URLQueryItem { URLQueryItem(name: "path", value: path) }
    }

    struct List: ServerCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List a directory.")

        @OptionGroup var place: Place

        @Option(help: "The maximum number of entries.")
        var limit = 200

        @Option(help: "Continue after an earlier page: its next_cursor.")
        var cursor: String?

        @OptionGroup var connection: ConnectionOptions

        func validate() throws {
            guard (1...1000).contains(limit) else { throw ValidationError("--limit must be from 1 to 1000") }
        }

        func execute(_ client: HTTPClient) async throws {
            let more =
                [URLQueryItem(name: "limit", value: String(limit))]
                + (cursor.map { [URLQueryItem(name: "cursor", value: $0)] } ?? [])
            let body = try await client.get(place.url("files"), query: [place.query] + more)
            if connection.json { return try Output.document(body) }
            let list = try ServerJSON.decode(FileList.self, body)
            try Table.show(
                columns: [
                    .init(heading: "NAME", minimum: 20), .init(heading: "SIZE", alignment: .right),
                    .init(heading: "CHANGED", minimum: 19), .init(heading: ""),
                ],
                rows: list.entries.map { entry in
                    [
                        Table.Cell(entry.name + entry.mark),
                        Table.Cell(entry.type == "file" ? String(entry.size) : "-"),
                        Table.Cell(String((entry.modifiedAt ?? "").prefix(19))), Table.Cell(entry.remarks),
                    ]
                },
                ifEmpty: "The directory is empty."
            )
            if let next = list.nextCursor { Output.note("There are more: --cursor \(next)") }
        }
    }

    struct Show: ServerCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Print a file.",
            discussion: "On a terminal, only text is printed. Otherwise the output contains the file's bytes."
        )

        @OptionGroup var place: Place

        @Option(help: "The first byte.")
        var offset: Int64 = 0

        @Option(help: "The maximum number of bytes.")
        var limit: Int64?

        @OptionGroup var connection: ConnectionOptions

        func validate() throws {
            guard offset >= 0, limit.map({ (1...(10 << 20)).contains($0) }) ?? true else {
                throw ValidationError("--offset must not be negative, --limit must be from 1 to 10485760")
            }
        }

        func execute(_ client: HTTPClient) async throws {
            var query = [place.query, URLQueryItem(name: "offset", value: String(offset))]
            query += limit.map { [URLQueryItem(name: "limit", value: String($0))] } ?? []
            let isTerminal = isatty(STDOUT_FILENO) != 0
            if !connection.json { query.append(URLQueryItem(name: "raw", value: "1")) }
            let reply = try await client.send("GET", place.url("file"), query: query, timeout: 120)
            let body = try client.expectSuccess(reply).body
            if connection.json { return try Output.document(body) }
            guard isTerminal else { return try Output.bytes(Array(body)) }
            guard !body.contains(0), String(bytes: body, encoding: .utf8) != nil else {
                throw CommandError.refused("this is no text; write it into a file: monitorctl files show ... > FILE")
            }
            try Output.text(body)
        }
    }

    struct Find: ServerCommand {
        static let configuration = CommandConfiguration(
            commandName: "find",
            abstract: "Look for files below a directory, by name or by content. Leaves out what Git ignores."
        )

        enum Mode: String, ExpressibleByArgument, CaseIterable {
            case fuzzy, exact, prefix, `extension`, content
        }

        @OptionGroup var place: Place

        @Argument(help: "A part of the name, or, with --mode content, a text in the files.")
        var query: String

        @Option(help: "How names are compared, or content.")
        var mode = Mode.fuzzy

        @Option(help: "The maximum number of results.")
        var limit = 50

        @OptionGroup var connection: ConnectionOptions

        func validate() throws {
            guard (1...1000).contains(limit) else { throw ValidationError("--limit must be from 1 to 1000") }
        }

        func execute(_ client: HTTPClient) async throws {
            let query = [
                place.query, URLQueryItem(name: "query", value: query),
                URLQueryItem(name: "mode", value: mode.rawValue), URLQueryItem(name: "limit", value: String(limit)),
            ]
            let reply = try await client.send("GET", place.url("files/search"), query: query, timeout: 60)
            let body = try client.expectSuccess(reply).body
            if connection.json { return try Output.document(body) }
            let found = try ServerJSON.decode(FileHits.self, body)
            for hit in found.results {
                let place = hit.line.map { ":\($0): " } ?? ""
                try Output.line(TerminalText.printable(hit.path + place + (hit.text ?? "")))
            }
            if found.results.isEmpty { Output.note("Nothing found.") }
            if !found.complete { Output.note("Not everything was looked at: \(found.reason ?? "it took too long").") }
        }
    }
}

private struct FileList: Decodable {
    struct Entry: Decodable {
        var name: String
        var type: String
        var size: Int64
        var modifiedAt: String?
        var isSecret: Bool
        var isIgnored: Bool?

        var mark: String { type == "directory" ? "/" : type == "link" ? "@" : "" }

        var remarks: String {
            ((isSecret ? ["secret"] : []) + (isIgnored == true ? ["ignored"] : [])).joined(separator: ", ")
        }
    }

    var entries: [Entry]
    var nextCursor: String?
}

private struct FileHits: Decodable {
    struct Hit: Decodable {
        var path: String
        var line: Int64?
        var text: String?
    }

    var results: [Hit]
    var complete: Bool
    var reason: String?
}

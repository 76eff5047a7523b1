import ArgumentParser
import Foundation

struct SecretsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secrets",
        abstract: "The keys with which the server seals stored secrets.",
        discussion: """
            The server stores tokens of other servers sealed (AES-256-GCM). The keys are in the file secrets.key of \
            its data directory and never in the database. All servers of one database need the same file: copy it.
            """,
        subcommands: [Keys.self, Prepare.self, Rotate.self]
    )

    struct Keys: ServerCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the keys by their ids.",
            discussion: """
                current: new secrets are sealed with it. old: secrets that no rotation has resealed yet. prepared: the \
                next rotation uses it. missing: it seals secrets, and this server does not have it.
                """
        )

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            let body = try await client.get("/v1/secrets/keys")
            if connection.json { return try Output.document(body) }
            try Table.show(
                columns: [.init(heading: "ID"), .init(heading: "STATE")],
                rows: try ServerJSON.decode(ListedKeys.self, body).keys.map { key in
                    [Table.Cell(key.id), Table.Cell(key.state, style: key.state == "missing" ? .red : nil)]
                },
                ifEmpty: "No keys yet: the first secret makes one."
            )
        }
    }

    struct Prepare: ServerCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a key for the next rotation to secrets.key.",
            discussion: "With several servers on one database, copy secrets.key to each of them before the rotation."
        )

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            let reply = try await client.expectSuccess(client.send("POST", "/v1/secrets/keys"))
            if connection.json { return try Output.document(reply.body) }
            let key = try ServerJSON.decode(ListedKey.self, reply.body)
            try Output.line("prepared \(TerminalText.printable(key.id))")
        }
    }

    struct Rotate: ServerCommand {
        static let configuration = CommandConfiguration(
            abstract: "Seal all stored secrets with a new key, then remove the old one.",
            discussion: """
                Uses the prepared key if there is one. A rotation that was interrupted goes on. The old key stays in \
                the file if a secret cannot be opened.
                """
        )

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            let reply = try await client.expectSuccess(client.send("POST", "/v1/secrets/rotate", timeout: 660))
            if connection.json { return try Output.document(reply.body) }
            let done = try ServerJSON.decode(Rotation.self, reply.body)
            let removed = done.removedKeys.map(TerminalText.printable).joined(separator: ", ")
            try Output.line(
                "\(done.resealed) secrets sealed with \(TerminalText.printable(done.id)); "
                    + (removed.isEmpty ? "no key removed" : "removed \(removed)")
            )
            if done.unreadable > 0 {
                Output.note("\(done.unreadable) secrets cannot be opened. Connect their servers again, then rotate.")
            }
        }
    }
}

private struct ListedKey: Decodable {
    var id: String
    var state: String
}

private struct ListedKeys: Decodable {
    var keys: [ListedKey]
}

private struct Rotation: Decodable {
    var id: String
    var resealed: Int
    var unreadable: Int
    var removedKeys: [String]
}

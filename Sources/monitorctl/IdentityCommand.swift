import ArgumentParser
import Foundation

struct IdentityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity",
        abstract: "List and remove people who signed in with Apple.",
        subcommands: [List.self, Remove.self]
    )

    struct List: ServerCommand {
        static let configuration = CommandConfiguration(abstract: "List the people.")

        @OptionGroup var connection: ConnectionOptions

        private struct People: Decodable {
            struct Person: Decodable {
                var id: LooseText
                var subject: String
                var email: String?
                var invited: Bool?
                var lastSeenAt: String?
                var deviceCount: Int?
            }
            var identities: [Person]
        }

        func execute(_ client: HTTPClient) async throws {
            let body = try await client.get("/v1/identities")
            if connection.json { return try Output.document(body) }
            let now = Date()
            try Table.show(
                columns: [
                    .init(heading: "ID"), .init(heading: "SUBJECT"), .init(heading: "EMAIL"), .init(heading: "BY"),
                    .init(heading: "DEVICES", alignment: .right), .init(heading: "SEEN", alignment: .right),
                ],
                rows: try ServerJSON.decode(People.self, body).identities.map { person in
                    [
                        Table.Cell(person.id.text), Table.Cell(person.subject), Table.Cell(person.email ?? "-"),
                        Table.Cell(person.invited == true ? "invitation" : "allowlist"),
                        Table.Cell(String(person.deviceCount ?? 0)),
                        Table.Cell(Moments.age(of: person.lastSeenAt, now: now)),
                    ]
                },
                ifEmpty: "Nobody has signed in with Apple."
            )
        }
    }

    struct Remove: ServerCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a person and revoke their devices.",
            discussion: "A person on the allowlist can sign in again: remove them from the allowlist first."
        )

        @Argument(help: "The person's id, as `monitorctl identity list` shows it.")
        var id: String

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            guard let number = Int64(id) else { throw CommandError.refused("'\(id)' is not the id of a person") }
            let reply = try await client.expectSuccess(client.send("DELETE", "/v1/identities/\(number)"))
            if connection.json { return try Output.document(reply.body) }
            try Output.line("removed \(number)")
        }
    }
}

import ArgumentParser
import Foundation

/// Devices that wait for approval, if the server requires it.
extension DeviceCommand {
    struct Pending: ServerCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the devices that wait for approval (MONITOR_PAIRING_APPROVAL)."
        )

        @OptionGroup var connection: ConnectionOptions

        private struct Waiting: Decodable {
            struct Entry: Decodable {
                var requestId: LooseText
                var name: String?
                var platform: String?
                var remoteAddr: String?
                var createdAt: String?
            }
            var pending: [Entry]
        }

        func execute(_ client: HTTPClient) async throws {
            let body = try await client.get("/api/auth/pairing/pending")
            if connection.json { return try Output.document(body) }
            let now = Date()
            try Table.show(
                columns: [
                    .init(heading: "ID"), .init(heading: "NAME"), .init(heading: "PLATFORM"),
                    .init(heading: "ADDRESS"), .init(heading: "ASKED", alignment: .right),
                ],
                rows: try ServerJSON.decode(Waiting.self, body).pending.map { entry in
                    [
                        Table.Cell(entry.requestId.text), Table.Cell(entry.name ?? "-"),
                        Table.Cell(entry.platform ?? "-"), Table.Cell(entry.remoteAddr ?? "-"),
                        Table.Cell(Moments.age(of: entry.createdAt, now: now)),
                    ]
                },
                ifEmpty: "No device waits."
            )
        }
    }

    struct Approve: ServerCommand {
        static let configuration = CommandConfiguration(abstract: "Approve a waiting device.")

        @Argument(help: "Its id, as `monitorctl device pending` shows it.")
        var id: String

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            try await DeviceCommand.decide("approve", id, client, connection)
        }
    }

    struct Reject: ServerCommand {
        static let configuration = CommandConfiguration(abstract: "Reject a waiting device.")

        @Argument(help: "Its id, as `monitorctl device pending` shows it.")
        var id: String

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            try await DeviceCommand.decide("reject", id, client, connection)
        }
    }

    private static func decide(
        _ word: String,
        _ id: String,
        _ client: HTTPClient,
        _ connection: ConnectionOptions
    ) async throws {
        let body = try JSONEncoder().encode(["request_id": id])
        let reply = try await client.send("POST", "/api/auth/pairing/\(word)", body: body)
        let answer = try client.expectSuccess(reply).body
        if connection.json { return try Output.document(answer) }
        try Output.line("\(word == "approve" ? "approved" : "rejected") \(TerminalText.printable(id))")
    }
}

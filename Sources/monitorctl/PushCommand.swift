import ArgumentParser
import Foundation

struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Check the push key, send a test push, and explain why a push was sent or not.",
        subcommands: [CheckKey.self, SendTest.self, Why.self]
    )

    struct CheckKey: ServerCommand {
        static let configuration = CommandConfiguration(
            commandName: "check-key",
            abstract: "Check with Apple that key, team and topic are valid, by a push to a device that does not exist.",
            discussion: "Apple counts it as a faulty push, so do not run it in a loop. Exits 1 if the key is not valid."
        )

        @Option(help: "The push service of Apple to ask: production or development.")
        var environment = "production"

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            let query = [URLQueryItem(name: "environment", value: environment)]
            let reply = try await client.expectSuccess(client.send("POST", "/v1/push/check-key", query: query))
            let check = try ServerJSON.decode(PushKeyCheck.self, reply.body)
            if connection.json {
                try Output.document(reply.body)
            } else {
                try Output.line(TerminalText.printable(check.message))
            }
            if check.verdict != "good" { throw CommandError.refused("the key is not valid") }
        }
    }

    struct SendTest: ServerCommand {
        static let configuration = CommandConfiguration(
            commandName: "send-test",
            abstract: "Send a test push to a device, and show the result."
        )

        @Argument(help: "The device's id, as `monitorctl device list` shows it.")
        var device: String

        @Option(help: "Seconds to wait for the answer of the push service; 0: do not wait.")
        var wait = 20

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            guard let number = Int64(device) else {
                throw CommandError.refused("'\(device)' is not the id of a device")
            }
            let query = [URLQueryItem(name: "device_id", value: String(number))]
            let reply = try await client.expectSuccess(client.send("POST", "/v1/push/test", query: query))
            let test = try ServerJSON.decode(PushTest.self, reply.body)
            let deadline = Date().addingTimeInterval(TimeInterval(wait))
            var isSent = true
            for name in test.apnsIds {
                let body = try await outcome(of: name, by: deadline, client)
                let decisions = try ServerJSON.decode(PushDecisions.self, body)
                if connection.json {
                    try Output.document(body)
                } else {
                    for line in PushPrinter.lines(decisions) { try Output.line(line) }
                }
                isSent = isSent && decisions.isSent
            }
            if wait > 0, !isSent { throw CommandError.refused("the test push was not sent") }
        }

        /// Returns the last decision, or the state at the deadline.
        private func outcome(of name: String, by deadline: Date, _ client: HTTPClient) async throws -> Data {
            while true {
                let query = [URLQueryItem(name: "apns_id", value: name)]
                let body = try await client.get("/v1/push/decisions", query: query)
                let isOpen = try ServerJSON.decode(PushDecisions.self, body).isOpen
                if !isOpen || Date() >= deadline { return body }
                try await Task.sleep(nanoseconds: 250_000_000)
            }
        }
    }

    struct Why: ServerCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show what the server decided about an event or a push, and why."
        )

        @Argument(help: "The id of an event, or the apns-id of a push.")
        var id: String

        @OptionGroup var connection: ConnectionOptions

        func execute(_ client: HTTPClient) async throws {
            let body = try await decisions(client)
            if connection.json { return try Output.document(body) }
            for line in PushPrinter.lines(try ServerJSON.decode(PushDecisions.self, body)) { try Output.line(line) }
        }

        private func decisions(_ client: HTTPClient) async throws -> Data {
            let push = [URLQueryItem(name: "apns_id", value: id)]
            let reply = try await client.send("GET", "/v1/push/decisions", query: push)
            if reply.status != 404 { return try client.expectSuccess(reply).body }
            return try await client.get("/v1/push/decisions", query: [URLQueryItem(name: "event", value: id)])
        }
    }
}

import ArgumentParser
import Foundation

struct SendCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a message to a session, as if it were typed at its terminal."
    )

    @Argument(help: "The session's id, as `monitorctl sessions` shows it.")
    var session: String

    @Argument(help: "The message.")
    var text: String

    @OptionGroup var connection: ConnectionOptions

    func execute(_ client: HTTPClient) async throws {
        let body = try JSONEncoder().encode(["text": text, "message_id": UUID().uuidString.lowercased()])
        let path = "/v1/sessions/\(try PathSegment.encode(session))/input"
        let reply = try await client.expectSuccess(client.send("POST", path, body: body))
        if connection.json { return try Output.document(reply.body) }
        try Output.line("Queued. The session gets it with its next poll for messages.")
    }
}

struct InterruptCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "interrupt",
        abstract: "End the current turn of a session, at its next tool."
    )

    @Argument(help: "The session's id, as `monitorctl sessions` shows it.")
    var session: String

    @OptionGroup var connection: ConnectionOptions

    func execute(_ client: HTTPClient) async throws {
        let path = "/v1/sessions/\(try PathSegment.encode(session))/interrupt"
        let reply = try await client.expectSuccess(client.send("POST", path))
        if connection.json { return try Output.document(reply.body) }
        try Output.line("Queued. The turn ends at its next tool.")
    }
}

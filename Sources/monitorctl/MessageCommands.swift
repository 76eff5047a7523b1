import ArgumentParser
import Foundation

struct SendCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a message to a session, as if it were typed at its terminal.",
        discussion: """
            Pictures go to sessions that a machine's agent runs.
              monitorctl send 0197c1d2-5f00-7000-8000-000000000001 "Like this one" --image design.png
            """
    )

    @Argument(help: "The session's id, as `monitorctl sessions` shows it.")
    var session: String

    @Argument(help: "The message.")
    var text: String

    @Option(name: .customLong("image"), help: ArgumentHelp("A picture in the message.", valueName: "file"))
    var images: [String] = []

    @OptionGroup var connection: ConnectionOptions

    private struct Request: Encodable {
        var text: String
        // A retry with the same id sends the message once.
        var messageId: String
        var images: [MessagePicture]?
    }

    func execute(_ client: HTTPClient) async throws {
        let request = Request(
            text: text,
            messageId: UUID().uuidString.lowercased(),
            images: images.isEmpty ? nil : try images.map(MessagePicture.init)
        )
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let body = try encoder.encode(request)
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

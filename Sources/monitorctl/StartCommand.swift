import ArgumentParser
import Foundation

struct StartCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Start Claude Code on a machine whose agent is connected.",
        discussion: """
            Standard output contains only the session's id.
              monitorctl start laptop /home/dev/app "Run the tests and repair what fails."
              monitorctl start laptop /home/dev/app "Why does it look like this?" --image screen.png
            """
    )

    @Argument(help: "The machine, by its name or number.")
    var machine: String

    @Argument(help: "The directory in which to start.")
    var directory: String

    @Argument(help: "The first message.")
    var message: String?

    @Option(help: "The model.")
    var model: String?

    @Option(name: .customLong("mode"), help: "default, plan, acceptEdits; interactive for a terminal.")
    var mode: String?

    @Option(help: "The session's name.")
    var title: String?

    @Option(help: "Continue this session.")
    var resume: String?

    @Flag(help: "Continue a copy of the session of --resume.")
    var fork = false

    @Option(help: "Work in a Git worktree of this name.")
    var worktree: String?

    @Flag(help: "Read neither settings nor hooks nor MCP servers of the directory.")
    var restricted = false

    @Option(name: .customLong("image"), help: ArgumentHelp("A picture in the first message.", valueName: "file"))
    var images: [String] = []

    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard images.isEmpty || message != nil else { throw ValidationError("--image needs a message.") }
    }

    private struct Request: Encodable {
        var machineId: String
        var path: String
        var sessionId: String?
        var message: String?
        var images: [MessagePicture]?
        var model: String?
        var permissionMode: String?
        var title: String?
        var resume: String?
        var fork: Bool?
        var worktree: String?
        var restricted: Bool?
    }

    private struct Started: Decodable {
        var id: String
    }

    func execute(_ client: HTTPClient) async throws {
        let request = Request(
            machineId: machine,
            path: directory,
            // A retry with the same id starts one session.
            sessionId: resume == nil || fork ? UUID().uuidString.lowercased() : nil,
            message: message,
            images: images.isEmpty ? nil : try images.map(MessagePicture.init),
            model: model,
            permissionMode: mode,
            title: title,
            resume: resume,
            fork: fork ? true : nil,
            worktree: worktree,
            restricted: restricted ? true : nil
        )
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let body = try encoder.encode(request)
        let reply = try await client.expectSuccess(client.send("POST", "/v1/sessions", body: body))
        if connection.json { return try Output.document(reply.body) }
        try Output.line(TerminalText.printable(try ServerJSON.decode(Started.self, reply.body).id))
    }
}

struct StopCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "End a session that a machine's agent runs."
    )

    @Argument(help: "The session's id, as `monitorctl sessions` shows it.")
    var session: String

    @Flag(help: "Also end what the session's tools have left running.")
    var killLeftovers = false

    @OptionGroup var connection: ConnectionOptions

    private struct Ended: Decodable {
        struct Process: Decodable {
            var pid: Int64?
            var command: String?
        }
        var leftRunning: [Process]?
    }

    func execute(_ client: HTTPClient) async throws {
        let path = "/v1/sessions/\(try PathSegment.encode(session))" + (killLeftovers ? "?kill_leftovers=true" : "")
        let reply = try await client.expectSuccess(client.send("DELETE", path))
        if connection.json { return try Output.document(reply.body) }
        try Output.line("The session has ended.")
        for process in try ServerJSON.decode(Ended.self, reply.body).leftRunning ?? [] {
            let command = TerminalText.printable(process.command ?? "")
            Output.note("Still running: \(process.pid.map(String.init) ?? "?") \(command)")
        }
    }
}

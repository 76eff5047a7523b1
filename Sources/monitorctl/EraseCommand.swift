import ArgumentParser
import Foundation

struct EraseCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erase all data of a session, a machine or a project on the server. It cannot be undone.",
        discussion: "Backups are not changed. A machine keeps its keys, and the server stores what it sends later."
    )

    @Option(help: "The id of the session to erase.")
    var session: String?

    @Option(help: "The name of a machine: erases everything that it has sent.")
    var machine: String?

    @Option(help: "The id of a project: erases its sessions.")
    var project: String?

    @Flag(help: "Confirm. Without this flag, nothing is erased.")
    var yes = false

    @OptionGroup var connection: ConnectionOptions

    private var subjects: [(name: String, value: String)] {
        [("session_id", session), ("machine_id", machine), ("project_id", project)].compactMap { name, value in
            value.map { (name, $0) }
        }
    }

    func validate() throws {
        guard subjects.count == 1 else { throw ValidationError("give one of --session, --machine and --project") }
        guard yes else { throw ValidationError("an erasure cannot be undone; add --yes to confirm it") }
    }

    func execute(_ client: HTTPClient) async throws {
        guard let subject = subjects.first else { return }
        let body = try JSONEncoder().encode([subject.name: subject.value])
        let reply = try await client.expectSuccess(client.send("POST", "/v1/erase", body: body, timeout: 660))
        if connection.json { return try Output.document(reply.body) }
        let erased = try ServerJSON.decode(Erased.self, reply.body)
        let lines = "\(erased.transcriptLines) lines of transcripts"
        try Output.line("Erased: \(erased.sessions) sessions, \(erased.events) events, \(lines).")
        if erased.damagedSegments > 0 {
            try Output.line(
                "\(erased.damagedSegments) damaged files in the server's spool may contain such events: remove them."
            )
        }
    }
}

private struct Erased: Decodable {
    var sessions: Int
    var events: Int
    var transcriptLines: Int
    var damagedSegments: Int
}

import ArgumentParser
import Foundation

struct DoctorCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check the server, this machine's hooks, and whether an event reaches the live stream.",
        discussion: """
            Changes nothing, except with --probe: the command then posts one event outside any session, and waits for
            it on the live stream. The event stays until retention removes it. Exits 1 if a check failed; warnings do
            not count.
            """
    )

    @OptionGroup var connection: ConnectionOptions

    @Flag(help: "Post an event of type doctor_probe, and wait for it on the live stream.")
    var probe = false

    private struct Report: Encodable {
        var ok: Bool
        var checks: [DoctorCheck]
    }

    func execute(_ client: HTTPClient) async throws {
        let style = TerminalStyle.ofStandardOutput()
        var checks: [DoctorCheck] = []
        func add(_ found: [DoctorCheck]) throws {
            checks += found
            guard !connection.json else { return }
            for check in found { try Output.line(check.line(style)) }
        }

        let server = await ServerChecks(client: client).run()
        try add(server.checks)
        try add(MachineChecks(environment: ProcessInfo.processInfo.environment).run())
        if server.isUsable { try add([await RoundTrip(client: client).run(withEvent: probe)]) }

        let failures = checks.count { $0.status == .failed }
        if connection.json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            try Output.document(try encoder.encode(Report(ok: failures == 0, checks: checks)))
        }
        if failures > 0 {
            throw CommandError.refused("\(failures) of \(checks.count) checks failed")
        }
    }
}

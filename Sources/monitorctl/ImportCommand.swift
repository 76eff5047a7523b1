import ArgumentParser
import Foundation

/// Runs the hooks' `import.sh`, so that there is one sender of transcripts.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Send the transcripts on this machine that existed before the hooks were installed.",
        discussion: """
            Says how far it is, and how fast. It can be stopped at any time and run again: what the server has already \
            is not stored twice. A directory is searched with all below it. Transcripts are files .jsonl and \
            .jsonl.gz; one that is not named by a session's id belongs to the session that its lines name. If a file \
            is not taken, the reason is printed and the exit status is 1. Without --key it uses the server and the \
            key of this machine's hooks.
            """
    )

    @Argument(help: "A directory or a transcript. Default: CLAUDE_CONFIG_DIR/projects, else ~/.claude/projects.")
    var path: String?

    @Option(help: "The server's address (MONITOR_URL). Needs --key.")
    var url: String?

    @Option(help: "This machine's key (CLAUDE_MONITOR_KEY). Other users can see flags; prefer the variable.")
    var key: String?

    @Flag(help: "Print a line of JSON at the end: files, bytes, seconds, not_taken. Progress goes to standard error.")
    var json = false

    func run() async throws {
        guard let script = ImportCommand.script else {
            Output.note("monitorctl: hooks/import.sh is not beside this program; run the one that install.sh installed")
            throw ExitCode(1)
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["bash", script] + (path.map { ["--from", $0] } ?? [])
            + (json ? ["--json"] : [])
        process.environment = settings(ProcessInfo.processInfo.environment)
        do {
            try process.run()
        } catch {
            Output.note("monitorctl: bash cannot be started")
            throw ExitCode(1)
        }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ExitCode(1) }
    }

    private func settings(_ inherited: [String: String]) -> [String: String] {
        var settings = inherited
        guard let key = key ?? inherited.nonEmpty("CLAUDE_MONITOR_KEY") else { return settings }
        settings["CLAUDE_MONITOR_KEY"] = key
        settings["CLAUDE_MONITOR_URL"] =
            url ?? inherited.nonEmpty("CLAUDE_MONITOR_URL") ?? inherited.nonEmpty("MONITOR_URL")
            ?? "http://127.0.0.1:8766"
        return settings
    }

    /// In the source tree, or where it was installed.
    private static var script: String? {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
        return ["/..", "/../..", "/../../..", "/../share/claude-monitor"].map { program + $0 + "/hooks/import.sh" }
            .first { FileManager.default.isReadableFile(atPath: $0) }
    }
}

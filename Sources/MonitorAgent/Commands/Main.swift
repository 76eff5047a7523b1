internal import ClaudeRunner
internal import Glibc
internal import Host
internal import WebSocketClient

@main
enum Main {
    static func main() async {
        let environment = MachineFacts.environment()
        // Before the first thread and the first TLS context.
        NetworkEnvironment.clear()
        let mask = umask(0o077)
        let words = Array(CommandLine.arguments.dropFirst())
        if words.first == TerminalServer.command {
            exit(
                (TerminalServer.run(Array(words.dropFirst()), clock: SystemClock.monotonicSeconds)
                    ? ExitStatus.success : .usage).rawValue
            )
        }
        exit(await Program(environment: environment, mask: mask).run(words).rawValue)
    }
}

/// The exit statuses of sysexits.h.
enum ExitStatus: Int32 {
    case success = 0
    case failure = 1
    case usage = 64
    case unavailable = 69
    case configuration = 78
}

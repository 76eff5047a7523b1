import ArgumentParser

@main
struct Monitorctl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitorctl",
        abstract: "Administer a Claude Code Monitor server from the command line.",
        discussion: """
            Talks to the server at --url (MONITOR_URL, else http://127.0.0.1:8766) \
            with the admin token from --token, MONITOR_ADMIN_TOKEN or the file \
            admin.token in --data-dir (MONITOR_DATA_DIR, else \
            $XDG_DATA_HOME/claude-monitor, else ~/.local/share/claude-monitor).

            Exit status: 0 done; 1 the server refused or failed, no admin token, \
            or a doctor's check failed; 3 the server cannot be reached; \
            64 wrong usage.

            Colour is used only on a terminal and never with NO_COLOR set.
            """,
        version: version,
        subcommands: [
            KeyCommand.self, APIKeyCommand.self, DeviceCommand.self, IdentityCommand.self, SessionsCommand.self,
            EventsCommand.self, PromptsCommand.self, AnswerCommand.self, SendCommand.self, InterruptCommand.self,
            StartCommand.self, StopCommand.self, AttachCommand.self, FilesCommand.self, GitCommand.self,
            ChangesCommand.self, StatsCommand.self,
            SearchCommand.self, ExportCommand.self, AuditCommand.self, ImportCommand.self, EraseCommand.self,
            MachinesCommand.self, MachineCommand.self, ToolsCommand.self, PushCommand.self, SecretsCommand.self,
            HealthCommand.self, DoctorCommand.self,
        ]
    )

    static let version = "0.1.0"
}

internal import ClaudeRunner
internal import MachinePolicy

/// A client that was started before the chat that will have it, because the start takes most of the time until the
/// first character. Nothing of any chat is known to it.
struct WarmChat {
    /// Seconds after which one that no chat has taken ends, or fewer if the machine's file says so of sessions.
    private static let idleSeconds = 300

    let process: ChatProcess
    let client: ChatClient
    /// That of the program when the process was started.
    let program: FileStamp
    let deadline: Double

    init(_ process: ChatProcess, _ client: ChatClient, _ program: FileStamp, _ file: AgentFile, now: Double) {
        (self.process, self.client, self.program) = (process, client, program)
        deadline = now + Double(min(file.idleStop ?? WarmChat.idleSeconds, WarmChat.idleSeconds))
    }

    /// Whether the process is what would be started for the client now.
    func fits(_ client: ChatClient, _ program: FileStamp?, now: Double) -> Bool {
        self.client == client && self.program == program && now < deadline
    }
}

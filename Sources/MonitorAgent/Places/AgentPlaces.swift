/// Where the agent finds and keeps its files. The same rules as for the hooks (hooks/lib/common.sh).
struct AgentPlaces: Sendable, Equatable {
    let home: String
    /// The configuration file of the hooks.
    let configuration: String
    /// The agent's own directory. Its mode is 0700.
    let state: String

    /// Returns `nil` if the environment names no home directory.
    init?(_ environment: [String: String]) {
        func path(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        guard let home = path("HOME") else { return nil }
        self.home = home
        configuration =
            path("CLAUDE_MONITOR_CONFIG") ?? (path("XDG_CONFIG_HOME") ?? home + "/.config") + "/claude-monitor/config"
        let root =
            path("CLAUDE_MONITOR_STATE_DIR") ?? (path("XDG_STATE_HOME") ?? home + "/.local/state") + "/claude-monitor"
        state = root + "/agent"
    }

    /// The directory of the files `config`, `agent` and `approvals`.
    var directory: String {
        let end = configuration.lastIndex(of: "/") ?? configuration.startIndex
        return String(configuration[..<end])
    }

    var lock: String { state + "/lock" }
    var audit: String { state + "/audit.jsonl" }
    var outcomes: String { state + "/commands" }
    var sessions: String { state + "/sessions" }
    /// One directory for each chat that is being answered.
    var chats: String { state + "/chats" }
    /// What the chats of the day have cost.
    var chatSpending: String { state + "/chat-spending" }
    /// One directory for each client that runs only to tell its MCP servers or its models.
    var hosts: String { state + "/hosts" }
    /// An empty directory, in which the clients of chats run.
    var chatRoom: String { state + "/room" }
    var identity: String { state + "/identity" }
    /// What git needs while it runs, and what was discarded.
    var git: String { state + "/git" }
    var status: String { state + "/status.json" }
    /// Variables of the person's shell, which a service does not get.
    var environment: String { directory + "/agent.env" }

    /// The public key with which the releases of the agent are verified.
    var releaseKey: String { directory + "/agent.pub" }

    func session(_ id: String) -> String { sessions + "/" + id }
}

package import JSON

/// How a client is to be started.
package struct ClaudeStart: Sendable, Equatable {
    /// A UUID in lower case. With `resume` and without `isFork`, the same as `resume`.
    package var sessionID: String
    package var resume: String?
    package var isFork: Bool
    /// The real path. The client starts there, or not at all.
    package var directory: String
    package var model: String?
    package var effort: String?
    package var mode: String
    package var worktree: String?
    package var systemPrompt: String?
    /// The system prompt follows the client's own.
    package var appendsPrompt = false
    /// Nothing of the directory's own settings and MCP servers counts.
    package var isRestricted: Bool
    /// Absolute.
    package var executable: String
    /// Complete: see `ClaudeEnvironment.ofChild`.
    package var environment: [String]
    /// For the state file, the pipes and the client's errors. Its last component is `sessionID`.
    package var stateDirectory: String
    /// Such as `Edit(//home/me/.claude.json)`.
    package var denyRules: [String]
    /// For the state file: the MCP tools that the session is left with, in a form that the agent chooses.
    package var toolChoice: JSONValue?
    /// The client only tells which MCP servers or models it has.
    package var host: ToolHost?

    package init(
        sessionID: String,
        resume: String? = nil,
        isFork: Bool = false,
        directory: String,
        model: String? = nil,
        effort: String? = nil,
        mode: String = "default",
        worktree: String? = nil,
        systemPrompt: String? = nil,
        isRestricted: Bool = false,
        executable: String,
        environment: [String],
        stateDirectory: String,
        denyRules: [String] = [],
        host: ToolHost? = nil
    ) {
        self.sessionID = sessionID
        self.resume = resume
        self.isFork = isFork
        self.directory = directory
        self.model = model
        self.effort = effort
        self.mode = mode
        self.worktree = worktree
        self.systemPrompt = systemPrompt
        self.isRestricted = isRestricted
        self.executable = executable
        self.environment = environment
        self.stateDirectory = stateDirectory
        self.denyRules = denyRules
        self.host = host
    }

    package static let modes: Set<String> = ["default", "plan", "acceptEdits", "auto", "dontAsk", "bypassPermissions"]
    package static let efforts: Set<String> = ["low", "medium", "high", "xhigh", "max"]

    /// No argument contains a text that a person wrote: others can read the arguments of a process.
    package var arguments: [String] {
        [
            "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
            "--include-partial-messages", "--permission-prompt-tool", "stdio",
        ] + commonArguments
    }

    /// Of a client in a terminal.
    var terminalArguments: [String] { commonArguments }

    private var commonArguments: [String] {
        var list = ["--permission-mode", mode]
        if let resume { list += ["--resume", resume] }
        if resume != nil, isFork { list.append("--fork-session") }
        if resume == nil || isFork { list += ["--session-id", sessionID] }
        if let model { list += ["--model", model] }
        if let effort { list += ["--effort", effort] }
        if let worktree { list += ["--worktree", worktree] }
        if isRestricted { list += ["--setting-sources", "user", "--strict-mcp-config"] }
        if host != nil { list += ["--no-session-persistence", "--tools", ""] }
        if !denyRules.isEmpty || host != nil {
            var writer = JSONWriter()
            writer.value(host?.settings ?? ClaudeStart.settings(denying: denyRules))
            list += ["--settings", String(decoding: writer.bytes, as: UTF8.self)]
        }
        return list
    }

    static func settings(denying rules: [String]) -> JSONValue {
        .object([("permissions", .object([("deny", .array(rules.map(JSONValue.string)))]))])
    }

    /// Checks what becomes an argument or a path.
    package func check() throws(ClaudeStartError) {
        guard ClaudeStart.isSessionID(sessionID) else { throw .invalid("the session id") }
        if let resume {
            guard ClaudeStart.isSessionID(resume) else { throw .invalid("the id of the session to resume") }
            guard isFork == (resume != sessionID) else { throw .invalid("the id of the session to resume") }
        }
        if isFork, resume == nil { throw .invalid("a fork of nothing") }
        guard ClaudeStart.modes.contains(mode) else { throw .invalid("the mode") }
        if let model, !ClaudeStart.isModel(model) { throw .invalid("the model") }
        if let effort, !ClaudeStart.efforts.contains(effort) { throw .invalid("the effort") }
        if let worktree, !ClaudeStart.isWorktree(worktree) { throw .invalid("the name of the worktree") }
        for path in [directory, executable, stateDirectory] {
            guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else { throw .invalid("a path") }
        }
        guard stateDirectory.hasSuffix("/" + sessionID) else { throw .invalid("the state directory") }
        guard !environment.contains(where: { $0.utf8.contains(0) }) else { throw .invalid("the environment") }
    }

    /// A UUID in lower case. The file names that are made from it need no further check.
    package static func isSessionID(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 36
            && bytes.indices.allSatisfy { place in
                switch place {
                case 8, 13, 18, 23: bytes[place] == UInt8(ascii: "-")
                default: "0123456789abcdef".utf8.contains(bytes[place])
                }
            }
    }

    /// The id of a message: a UUID, in any form that a device uses.
    package static func isMessageID(_ text: String) -> Bool { consists(text, of: "-", atMost: 64) }

    package static func isModel(_ text: String) -> Bool {
        text.utf8.first != UInt8(ascii: "-")
            && consists(text, of: ".", "_", ":", "/", "@", "[", "]", "-", atMost: 128)
    }

    package static func isWorktree(_ text: String) -> Bool {
        guard let first = text.utf8.first, isAlphanumeric(first) else { return false }
        return consists(text, of: ".", "_", "-", atMost: 64)
    }

    private static func consists(_ text: String, of others: Unicode.Scalar..., atMost limit: Int) -> Bool {
        1...limit ~= text.utf8.count
            && text.unicodeScalars.allSatisfy { scalar in
                others.contains(scalar) || scalar.isASCII && isAlphanumeric(UInt8(truncatingIfNeeded: scalar.value))
            }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

package import JSON

/// The content of a state file. The hooks of a session read `pid` in it; the next agent reads all of it.
package struct RunnerState: Sendable, Equatable {
    /// The id with which the client was started. Names the directory.
    package var sessionID: String
    /// The id under which it goes on now.
    package var conversationID: String
    /// The session that it goes on after `/clear`.
    package var continues: String?
    /// nil: the client is about to be started.
    package var pid: Int32?
    /// Field 22 of proc(5)'s stat, because another process may get the pid.
    package var startTime: String?
    package var bootID: String
    package var directory: String
    package var mode: String
    package var model: String?
    package var isRestricted: Bool
    package var effort: String?
    /// What the conversation was begun with, for a start that continues it.
    package var systemPrompt: String?
    package var appendsPrompt = false
    package var executable: String
    /// The client was ended to save memory, and is started again for the next message. The hooks read this.
    package var isParked = false
    /// Messages that were written and have not ended.
    package var messages: [String] = []
    /// The message, request or prompt whose line is being written, if the line is longer than the room in the pipe.
    package var writing: String?
    package var hasEnded = false
    /// The MCP tools that the session is left with; nil means all.
    package var toolChoice: JSONValue?
    /// The client has a terminal, which a terminal's server holds.
    package var hasTerminal = false

    package init(
        sessionID: String,
        conversationID: String,
        bootID: String,
        directory: String,
        mode: String,
        model: String?,
        isRestricted: Bool,
        executable: String
    ) {
        self.sessionID = sessionID
        self.conversationID = conversationID
        self.bootID = bootID
        self.directory = directory
        self.mode = mode
        self.model = model
        self.isRestricted = isRestricted
        self.executable = executable
    }

    /// The state of a client before its start.
    init(_ start: ClaudeStart) {
        self.init(
            sessionID: start.sessionID,
            conversationID: start.sessionID,
            bootID: ProcessTable.bootID,
            directory: start.directory,
            mode: start.mode,
            model: start.model,
            isRestricted: start.isRestricted,
            executable: start.executable
        )
        toolChoice = start.toolChoice
    }

    package var bytes: [UInt8] {
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        writer.field("version", 1)
        writer.field("session_id", sessionID)
        writer.field("conversation_id", conversationID)
        writer.field("continues", continues)
        writer.field("pid", pid.map(Int64.init))
        writer.field("start_time", startTime)
        writer.field("boot_id", bootID)
        writer.field("directory", directory)
        writer.field("mode", mode)
        writer.field("model", model)
        writer.field("restricted", isRestricted)
        writer.field("effort", effort)
        writer.field("executable", executable)
        writer.field("parked", isParked)
        writer.field("system_prompt", systemPrompt)
        writer.field("append_prompt", appendsPrompt)
        writer.field("messages", .array(messages.map(JSONValue.string)))
        writer.field("writing", writing)
        writer.field("ended", hasEnded)
        if let toolChoice { writer.field("tools", toolChoice) }
        writer.field("terminal", hasTerminal)
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    /// nil if the text is not a state file of this version.
    init?(bytes: [UInt8]) {
        guard let value = try? JSONValue.parse(bytes), value["version"]?.integer == 1,
            let sessionID = value["session_id"]?.string, let conversationID = value["conversation_id"]?.string,
            let bootID = value["boot_id"]?.string, let directory = value["directory"]?.string,
            let mode = value["mode"]?.string, let executable = value["executable"]?.string
        else { return nil }
        self.init(
            sessionID: sessionID,
            conversationID: conversationID,
            bootID: bootID,
            directory: directory,
            mode: mode,
            model: value["model"]?.string,
            isRestricted: value["restricted"]?.bool ?? false,
            executable: executable
        )
        continues = value["continues"]?.string
        effort = value["effort"]?.string
        systemPrompt = value["system_prompt"]?.string
        appendsPrompt = value["append_prompt"]?.bool ?? false
        isParked = value["parked"]?.bool ?? false
        pid = value["pid"]?.integer.flatMap { Int32(exactly: $0) }
        startTime = value["start_time"]?.string
        messages = value["messages"]?.array?.compactMap(\.string) ?? []
        writing = value["writing"]?.string
        hasEnded = value["ended"]?.bool ?? false
        hasTerminal = value["terminal"]?.bool ?? false
        toolChoice = value["tools"].flatMap { $0.isObject ? $0 : nil }
    }

    /// Reads the state file of a session's directory. nil if there is none that can be read.
    package static func read(in directory: String) -> RunnerState? {
        SessionFiles(directory: directory).readState().flatMap(RunnerState.init(bytes:))
    }
}

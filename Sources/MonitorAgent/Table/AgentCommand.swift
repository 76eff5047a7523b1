internal import ClaudeRunner
internal import EventModel
internal import JSON
internal import RPC

/// A command of the server, with the types of its parameters checked.
struct AgentCommand: Sendable {
    /// Who asked, by the server's word.
    struct Person: Sendable, Hashable {
        var kind: String
        var id: String?
        var name: String?

        /// As the approvals file names devices.
        var device: String { kind == "operator" ? "operator" : id ?? "" }

        var json: JSONValue {
            .object(
                [("kind", .string(kind))] + (id.map { [("id", .string($0))] } ?? [])
                    + (name.map { [("name", .string($0))] } ?? [])
            )
        }
    }

    struct Start: Sendable, Equatable {
        var directory: String
        var resume: String?
        var isFork = false
        var model: String?
        var effort: String?
        var mode = "default"
        var worktree: String?
        var systemPrompt: String?
        /// The system prompt follows Claude Code's own.
        var appendsPrompt = false
        var isRestricted = false
        /// Claude Code gets a terminal of this size.
        var terminal: TerminalSize?
        /// The session was parked: what it had is not asked for anew.
        var isWoken = false
        /// The MCP tools that the session is left with.
        var toolChoice: JSONValue?
        /// What was said before the session began.
        var history: [ChatStart.Message] = []
    }

    struct Message: Sendable {
        var id: String
        /// A text or a list of blocks.
        var content: JSONValue
        var images: [UploadReference]
        var isCommand: Bool
    }

    /// What goes back to its state before a message.
    struct Rewind: Sendable, Equatable {
        var message: String
        var files: Bool
        var conversation: Bool
        /// Says only what would be done.
        var isDryRun: Bool
    }

    enum Body: Sendable {
        case start(Start)
        case send(Message)
        case cancel(message: String)
        case interrupt(cancelQueued: Bool)
        case stop(killLeftovers: Bool)
        case set(mode: String?, model: JSONValue?, title: String?)
        case context
        case commands
        case rewind(Rewind)
        case answer(hold: String, output: JSONValue)
        /// What is typed at the session's terminal.
        case keys([UInt8])
        case resize(TerminalSize)
        case discover(Discover)
        case listTools(ListTools)
        case listModels
        case newProject(NewProject)
        case chat(Chat)
        case continueChat(Results)
        case endChat
        /// Tells the answer to a message that is sent next.
        case follow(message: String)
        case unfollow(message: String)
        case limitTools(ToolLimits)
        case askTool(AskTool)
        case runTool(ApprovedTool)
        /// The rest of a tool's result.
        case toolResult(ApprovedTool)
        /// Nobody waits for the call any more.
        case withdrawTool(ApprovedTool)
        /// About files or repositories, and about no session.
        case workspace(any WorkspaceCommand)
    }

    let method: String
    let id: String
    let by: Person
    /// The seconds for which the server waits.
    let seconds: Double
    /// Empty if the command is about no session.
    let sessionID: String
    let body: Body

    /// By what a repeat is known. Ids are chosen by clients, so that different sessions may have the same.
    var key: String { "\(method) \(sessionID) \(id)" }

    static let methods: Set<String> = [
        "session/start", "session/send", "session/cancel", "session/interrupt", "session/stop", "session/set",
        "session/context", "session/commands", "session/rewind", "session/tools", "prompt/answer", "workspace/discover",
        "mcp/list", "mcp/ask", "mcp/run", "mcp/result", "mcp/withdraw", "models/list", "project/create", "pty/input",
        "pty/resize", "chat/run", "chat/continue", "chat/stop", "turn/follow", "turn/unfollow",
    ]

    init(_ method: String, _ json: JSONValue?) throws(RPCError) {
        let workspace = WorkspaceCommands.kind(of: method)
        guard workspace != nil || AgentCommand.methods.contains(method) else { throw .methodNotFound() }
        let params = try RPCParams(json)
        self.method = method
        guard let id = EventID(try params.required("command_id", limit: 36)) else {
            throw .invalidParameter("command_id", "is not a UUID")
        }
        self.id = id.description
        guard let person = try params.object("by") else { throw .invalidParameter("by", "is required") }
        by = Person(
            kind: try person.required("kind", limit: 32),
            id: try person.string("id", limit: 64),
            name: try person.string("name", limit: 200)
        )
        seconds = Double(try params.integer("deadline_ms", in: 1...86_400_000) ?? 10_000) / 1000
        if method == "workspace/discover" {
            (sessionID, body) = ("", .discover(try Discover(params)))
            return
        }
        if method == "mcp/list" {
            (sessionID, body) = ("", .listTools(try ListTools(params)))
            return
        }
        if ["mcp/ask", "mcp/run", "mcp/result", "mcp/withdraw"].contains(method), !params.has("session_id") {
            (sessionID, body) = ("", try AgentCommand.callInHost(method, params))
            return
        }
        if method == "models/list" {
            (sessionID, body) = ("", .listModels)
            return
        }
        if method == "project/create" {
            (sessionID, body) = ("", .newProject(try NewProject(params)))
            return
        }
        if let workspace {
            (sessionID, body) = ("", .workspace(try workspace.init(method, params)))
            return
        }
        sessionID = try params.required("session_id", limit: 36)
        guard ClaudeStart.isSessionID(sessionID) else {
            throw .invalidParameter("session_id", "is not a UUID in lower case")
        }
        body = try AgentCommand.body(method, params)
    }

    private static func body(_ method: String, _ params: RPCParams) throws(RPCError) -> Body {
        switch method {
        case "session/start": return .start(try start(params))
        case "session/send":
            guard let content = params.value("content"), content.string != nil || content.array != nil else {
                throw .invalidParameter("content", "is neither a text nor a list of blocks")
            }
            let form = try params.string("as", limit: 32)
            guard form == nil || form == "command" else { throw .invalidParameter("as", "is not \"command\"") }
            let images = try (params.value("images")?.array ?? []).map(UploadReference.init)
            return .send(Message(id: try message(params), content: content, images: images, isCommand: form != nil))
        case "session/cancel": return .cancel(message: try message(params))
        case "session/interrupt": return .interrupt(cancelQueued: try params.boolean("cancel_queued") ?? false)
        case "session/stop": return .stop(killLeftovers: try params.boolean("kill_leftovers") ?? false)
        case "session/set":
            if let model = params.value("model"), model.string.map(ClaudeStart.isModel) != true {
                throw .invalidParameter("model", "is not the name of a model")
            }
            let title = try params.string("title", limit: 1024)
            return .set(mode: try mode(params), model: params.value("model"), title: title)
        case "chat/run": return .chat(try Chat(params))
        case "chat/continue": return .continueChat(try Results(params))
        case "chat/stop": return .endChat
        case "turn/follow": return .follow(message: try message(params))
        case "turn/unfollow": return .unfollow(message: try message(params))
        case "session/tools": return .limitTools(try ToolLimits(params))
        case "mcp/ask": return .askTool(try AskTool(params))
        case "mcp/run": return .runTool(try ApprovedTool(params))
        case "session/context": return .context
        case "pty/input": return .keys(Array(try params.required("data", limit: 64 << 10).utf8))
        case "pty/resize": return .resize(try size(params))
        case "session/commands": return .commands
        case "session/rewind":
            let what = try params.required("what", limit: 16)
            guard ["files", "conversation", "both"].contains(what) else {
                throw .invalidParameter("what", "is not \"files\", \"conversation\" or \"both\"")
            }
            return .rewind(
                Rewind(
                    message: try message(params),
                    files: what != "conversation",
                    conversation: what != "files",
                    isDryRun: try params.boolean("dry_run") ?? true
                )
            )
        default:
            guard let hold = EventID(try params.required("hold_id", limit: 36)) else {
                throw .invalidParameter("hold_id", "is not a UUID")
            }
            guard let output = params.value("output"), output.isObject else {
                throw .invalidParameter("output", "is not an object")
            }
            // What a hook prints, or the object in it.
            return .answer(hold: hold.description, output: output["hookSpecificOutput"] ?? output)
        }
    }

    /// A call in a process that only runs tools.
    private static func callInHost(_ method: String, _ params: RPCParams) throws(RPCError) -> Body {
        switch method {
        case "mcp/ask": .askTool(try AskTool(params, in: try ListTools(params).directory))
        case "mcp/run": .runTool(try ApprovedTool(params))
        case "mcp/withdraw": .withdrawTool(try ApprovedTool(params))
        default: .toolResult(try ApprovedTool(params))
        }
    }

    private static func size(_ params: RPCParams) throws(RPCError) -> TerminalSize {
        let size = TerminalSize(
            columns: try params.integer("columns", in: 2...1000) ?? 0,
            rows: try params.integer("rows", in: 2...1000) ?? 0
        )
        guard let size else { throw .invalidParameter("columns", "and 'rows' are required") }
        return size
    }

    private static func message(_ params: RPCParams) throws(RPCError) -> String {
        let id = try params.required("message_id", limit: 64)
        guard ClaudeStart.isMessageID(id) else { throw .invalidParameter("message_id", "is not a UUID") }
        return id
    }

    private static func mode(_ params: RPCParams) throws(RPCError) -> String? {
        guard let mode = try params.string("mode", limit: 32) else { return nil }
        guard ClaudeStart.modes.contains(mode) else { throw .invalidParameter("mode", "is not a permission mode") }
        return mode
    }

    private static func start(_ params: RPCParams) throws(RPCError) -> Start {
        var start = Start(directory: try params.required("directory", limit: 4096))
        guard start.directory.hasPrefix("/"), start.directory.utf8.allSatisfy({ $0 >= 32 && $0 != 127 }) else {
            throw .invalidParameter("directory", "is not an absolute path")
        }
        start.resume = try params.string("resume", limit: 36)
        if let resume = start.resume, !ClaudeStart.isSessionID(resume) {
            throw .invalidParameter("resume", "is not a UUID in lower case")
        }
        start.isFork = try params.boolean("fork") ?? false
        guard !start.isFork || start.resume != nil else { throw .invalidParameter("fork", "needs resume") }
        start.model = try params.string("model", limit: 128)
        if let model = start.model, !ClaudeStart.isModel(model) {
            throw .invalidParameter("model", "is not the name of a model")
        }
        start.effort = try params.string("effort", limit: 16)
        if let effort = start.effort, !ClaudeStart.efforts.contains(effort) {
            throw .invalidParameter("effort", "is not one of \(ClaudeStart.efforts.sorted().joined(separator: ", "))")
        }
        start.mode = try mode(params) ?? "default"
        start.worktree = try params.string("worktree", limit: 64)
        if let worktree = start.worktree, !ClaudeStart.isWorktree(worktree) {
            throw .invalidParameter("worktree", "is not a name of letters, digits, '.', '_' and '-'")
        }
        start.systemPrompt = try params.string("system_prompt", limit: 256 << 10)
        start.appendsPrompt = try params.boolean("append_prompt") ?? false
        start.isRestricted = try params.boolean("restricted") ?? false
        start.history = try Chat.history(params)
        if let terminal = try params.object("terminal") { start.terminal = try size(terminal) }
        return start
    }
}

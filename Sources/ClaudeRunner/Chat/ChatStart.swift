package import JSON

/// One turn of a plain chat: a client without tools but the caller's functions, without the person's settings and
/// without a conversation on disk.
package struct ChatStart: Sendable, Equatable {
    /// What was said before the turn.
    package struct Message: Sendable, Equatable {
        package enum Role: String, Sendable { case user, assistant }

        package var role: Role
        /// A text, or an array of content blocks.
        package var content: JSONValue

        package init(_ role: Role, _ content: JSONValue) {
            (self.role, self.content) = (role, content)
        }
    }

    /// A UUID in lower case.
    package var id: String
    /// An empty directory of the agent's own.
    package var directory: String
    package var model: String?
    package var effort: String?
    package var systemPrompt: String?
    package var history: [Message]
    /// A text, or an array of content blocks.
    package var content: JSONValue
    package var mostTokens: Int64?
    package var stopSequences: [String]
    package var functions: [ChatFunction]
    /// The API's `tool_choice`.
    package var choice: JSONValue?
    /// The JSON Schema of the answer.
    package var schema: JSONValue?
    package var executable: String
    /// Complete: see `ClaudeEnvironment.ofChild`.
    package var environment: [String]
    /// Its last component is `id`.
    package var stateDirectory: String

    package init(
        id: String,
        directory: String,
        model: String? = nil,
        effort: String? = nil,
        systemPrompt: String? = nil,
        history: [Message] = [],
        content: JSONValue,
        mostTokens: Int64? = nil,
        stopSequences: [String] = [],
        functions: [ChatFunction] = [],
        choice: JSONValue? = nil,
        schema: JSONValue? = nil,
        executable: String,
        environment: [String],
        stateDirectory: String
    ) {
        (self.id, self.directory, self.model, self.effort) = (id, directory, model, effort)
        (self.systemPrompt, self.history, self.content) = (systemPrompt, history, content)
        (self.mostTokens, self.stopSequences, self.executable) = (mostTokens, stopSequences, executable)
        (self.functions, self.choice, self.schema) = (functions, choice, schema)
        (self.environment, self.stateDirectory) = (environment, stateDirectory)
    }

    /// No argument contains a text that a person wrote. `--safe-mode` leaves out hooks, plugins and instructions.
    var arguments: [String] {
        var list = [
            "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
            "--include-partial-messages", "--permission-mode", "default", "--session-id", id, "--tools", "",
            "--strict-mcp-config", "--safe-mode", "--no-session-persistence", "--settings", ChatStart.quiet,
        ]
        if !functions.isEmpty { list += ["--allowedTools", "mcp__" + FunctionServer.name] }
        if let model { list += ["--model", model] }
        if let effort { list += ["--effort", effort] }
        return list
    }

    /// Switches telemetry off. The server counts a plain chat itself, and telemetry would report it as a session. These
    /// settings take precedence over the person's.
    private static let quiet =
        #"{"env":{"CLAUDE_CODE_ENABLE_TELEMETRY":"0","OTEL_LOGS_EXPORTER":"none","OTEL_METRICS_EXPORTER":"none","#
        + #""OTEL_TRACES_EXPORTER":"none"}}"#

    private static func isOfTelemetry(_ name: Substring) -> Bool {
        name == "CLAUDE_CODE_ENABLE_TELEMETRY" || name.hasPrefix("OTEL_")
    }

    /// A broken stream and an error of the API end the turn: what was sent cannot be taken back, and the caller
    /// decides on a retry.
    var wholeEnvironment: [String] {
        var own = ["CLAUDE_CODE_MAX_RETRIES=0", "CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK=1"]
        if effort == nil { own.append("MAX_THINKING_TOKENS=0") }
        if let mostTokens { own.append("CLAUDE_CODE_MAX_OUTPUT_TOKENS=\(mostTokens)") }
        // The client would take a call for lost.
        if !functions.isEmpty { own.append("MCP_TOOL_TIMEOUT=3600000") }
        var extra: [(String, JSONValue)] = []
        if !stopSequences.isEmpty { extra.append(("stop_sequences", .array(stopSequences.map(JSONValue.string)))) }
        if let choice { extra.append(("tool_choice", choice)) }
        if !extra.isEmpty {
            var writer = JSONWriter()
            writer.value(.object(extra))
            own.append("CLAUDE_CODE_EXTRA_BODY=" + String(decoding: writer.bytes, as: UTF8.self))
        }
        let names = own.map { $0.prefix { $0 != "=" } }
        let rest = ClaudeEnvironment.marked(environment, sessionID: id).filter { entry in
            let name = entry.prefix { $0 != "=" }
            return !names.contains(name) && !ChatStart.isOfTelemetry(name)
        }
        return rest + own
    }

    /// Checks what becomes an argument or a path.
    func check() throws(ClaudeStartError) {
        guard ClaudeStart.isSessionID(id), stateDirectory.hasSuffix("/" + id) else { throw .invalid("the id") }
        if let model, !ClaudeStart.isModel(model) { throw .invalid("the model") }
        if let effort, !ClaudeStart.efforts.contains(effort) { throw .invalid("the effort") }
        guard functions.allSatisfy({ ChatFunction.isName($0.name) }) else { throw .invalid("a function") }
        guard !stopSequences.contains(where: { $0.utf8.contains(0) }) else { throw .invalid("a stop sequence") }
    }
}

/// How a turn of a chat ended.
package struct ChatEnd: Sendable, Equatable {
    /// What went wrong.
    package struct Failure: Sendable, Equatable {
        package enum Kind: String, Sendable {
            /// Claude Code's words are in the message.
            case api
            case modelNotFound = "model_not_found"
            case rateLimit = "rate_limit"
            case notLoggedIn = "not_logged_in"
            /// The model took back text that was sent.
            case retracted
            case interrupted
            /// The client does not take the functions or the schema.
            case unusable
            /// The client ended by itself.
            case gone
        }

        package var kind: Kind
        package var message: String
        /// The API's status.
        package var status: Int64?

        package init(_ kind: Kind, _ message: String, status: Int64? = nil) {
            (self.kind, self.message, self.status) = (kind, message, status)
        }
    }

    /// The API's word, such as `end_turn`, `max_tokens`, `stop_sequence` or `refusal`.
    package var stopReason: String?
    /// What the model waits for. The turn goes on with the results.
    package var calls: [ChatCall] = []
    /// The model that answered.
    package var model: String?
    package var usage: JSONValue?
    /// US dollars by the client's own price list.
    package var cost: Double?
    package var failure: Failure?

    package init() {}
}

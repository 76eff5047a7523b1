package import JSON

/// What the client of a plain chat is started with, before anything is said to it: without tools but the caller's
/// functions, without the person's settings and without a conversation on disk. Two chats with equal values can have
/// the same process.
package struct ChatClient: Sendable, Equatable {
    /// An empty directory of the agent's own.
    package var directory: String
    package var model: String?
    package var effort: String?
    package var mostTokens: Int64?
    package var stopSequences: [String]
    /// The API's `tool_choice`.
    package var choice: JSONValue?
    package var temperature: Double?
    package var topP: Double?
    package var takesFunctions = false
    package var executable: String
    /// Complete: see `ClaudeEnvironment.ofChild`.
    package var environment: [String]

    package init(
        directory: String,
        model: String? = nil,
        effort: String? = nil,
        mostTokens: Int64? = nil,
        stopSequences: [String] = [],
        choice: JSONValue? = nil,
        executable: String,
        environment: [String]
    ) {
        (self.directory, self.model, self.effort) = (directory, model, effort)
        (self.mostTokens, self.stopSequences, self.choice) = (mostTokens, stopSequences, choice)
        (self.executable, self.environment) = (executable, environment)
    }

    /// Whether it contains no text of a caller.
    package var isWithoutTexts: Bool { stopSequences.isEmpty && choice == nil }

    /// No argument contains a text that a person wrote. `--safe-mode` leaves out hooks, plugins and instructions.
    ///
    /// - Parameter id: of the process. Claude Code keeps nothing under it.
    func arguments(id: String) -> [String] {
        var list = [
            "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
            "--include-partial-messages", "--permission-mode", "default", "--session-id", id, "--tools", "",
            "--strict-mcp-config", "--safe-mode", "--no-session-persistence", "--settings", ChatClient.quiet,
        ]
        if takesFunctions { list += ["--allowedTools", "mcp__" + FunctionServer.name] }
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
    func wholeEnvironment(id: String) -> [String] {
        var own = ["CLAUDE_CODE_MAX_RETRIES=0", "CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK=1"]
        if effort == nil { own.append("MAX_THINKING_TOKENS=0") }
        if let mostTokens { own.append("CLAUDE_CODE_MAX_OUTPUT_TOKENS=\(mostTokens)") }
        // The client would take a call for lost.
        if takesFunctions { own.append("MCP_TOOL_TIMEOUT=3600000") }
        var extra: [(String, JSONValue)] = []
        if !stopSequences.isEmpty { extra.append(("stop_sequences", .array(stopSequences.map(JSONValue.string)))) }
        if let choice { extra.append(("tool_choice", choice)) }
        if let temperature { extra.append(("temperature", .number(temperature))) }
        if let topP { extra.append(("top_p", .number(topP))) }
        if !extra.isEmpty {
            var writer = JSONWriter()
            writer.value(.object(extra))
            own.append("CLAUDE_CODE_EXTRA_BODY=" + String(decoding: writer.bytes, as: UTF8.self))
        }
        let names = own.map { $0.prefix { $0 != "=" } }
        let rest = ClaudeEnvironment.marked(environment, sessionID: id).filter { entry in
            let name = entry.prefix { $0 != "=" }
            return !names.contains(name) && !ChatClient.isOfTelemetry(name)
        }
        return rest + own
    }

    /// Checks what becomes an argument.
    func check() throws(ClaudeStartError) {
        if let model, !ClaudeStart.isModel(model) { throw .invalid("the model") }
        if let effort, !ClaudeStart.efforts.contains(effort) { throw .invalid("the effort") }
        guard !stopSequences.contains(where: { $0.utf8.contains(0) }) else { throw .invalid("a stop sequence") }
    }
}

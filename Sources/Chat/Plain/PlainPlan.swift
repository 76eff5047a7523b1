internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence

/// What a request for a plain chat would do.
struct PlainPlan: Sendable {
    enum Way: String, Sendable, CaseIterable {
        /// A new process of Claude Code reads all messages.
        case start
        /// The process that waits for these results continues.
        case proceed = "continue"
    }

    var way: Way
    var machineName: String
    /// `nil` for a new chat.
    var sessionID: String?
    var request: ChatRequest

    /// The flags of Claude Code, without those for the form of its input and output.
    var flags: [String] {
        guard way == .start else { return [] }
        var flags = [
            "--permission-mode", "default", "--tools", "", "--strict-mcp-config", "--safe-mode",
            "--no-session-persistence",
        ]
        if !request.functions.list.isEmpty { flags += ["--allowedTools", "mcp__client"] }
        if let model = request.model { flags += ["--model", model] }
        if let effort = request.effort { flags += ["--effort", effort] }
        return flags
    }

    /// The functions, as the model sees them.
    private var tools: [String] {
        request.functions.list.compactMap { $0["name"]?.string }.map { ChatFunctions.prefix + $0 }
    }

    private var images: Int64 {
        Int64(request.content.array?.count { $0["type"]?.string == "image" } ?? 0)
    }

    static let shape = ObjectShape<PlainPlan>("PlainChatDebug") { it in
        it.constant("kind", "chat")
        it.word("action") { $0.way }
        it.member("machine_id") { $0.machineName }
        it.constant("directory", "an empty one of the agent")
        it.member("session_id") { $0.sessionID }
        it.member("flags") { $0.flags }
        it.member("model") { $0.request.model }
        it.member("max_tokens") { $0.request.mostTokens }
        it.member("stop") { $0.request.stopSequences }
        it.member("tools") { $0.tools }
        it.member("tool_choice") { $0.request.functions.choice?["type"]?.string }
        it.member("has_schema") { $0.request.schema != nil }
        it.member("text_bytes") { Int64($0.request.textBytes) }
        it.member("images") { $0.images }
        it.member("earlier_messages") { Int64($0.request.history.count) }
        it.object("permissions") { it in
            it.constant("mode", "default")
            it.constant("asked", "nothing: Claude Code has no tools of its own, and the caller runs its functions")
        }
        it.member("ignored_parameters") { $0.request.ignored }
    }
}

extension ChatService {
    /// Throws the error that the request would get. Changes nothing.
    func plan(_ json: JSONValue, for principal: Principal) async throws(APIError) -> PlainPlan {
        guard principal.may(.chat) else { throw .insufficientScope(principal.lacking(.chat)) }
        var request = try ChatRequest(json, passesSampling: settings.passesSampling)
        request.model = try settings.model(request.model, for: principal)
        try await checkBudget(of: principal)
        let caller = principal.auditName
        let waiting = request.results.flatMap { parkedChats.waiting(for: $0, of: principal, now: clock()) }
        let parked = waiting.flatMap { ports.allowed($0.machine) ?? 0 > 0 ? $0 : nil }
        let machine = if let parked { parked.machine } else { try await self.machine(for: principal) }
        let session = if let parked { parked.session } else { try await continued(request, of: caller) as String? }
        let name = try await database.use { store throws(PersistenceError) in try await store.name(of: machine) }
        return PlainPlan(
            way: parked == nil ? .start : .proceed,
            machineName: name ?? "",
            sessionID: session,
            request: request
        )
    }
}

extension PostgresStore {
    fileprivate func name(of machine: MachineID) async throws(PersistenceError) -> String? {
        try await run { connection throws(PersistenceError) in
            try connection.query(PlainChatStatements.machineName, Parameters(of: machine)).firstValue()
        }
    }
}

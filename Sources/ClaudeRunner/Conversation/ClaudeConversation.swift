package import JSON

/// What is said between this agent and one client, without any I/O: a command or a line of the client goes in, and what
/// is to be done comes out, in order.
package struct ClaudeConversation: Sendable {
    package enum Action: Sendable, Equatable {
        /// Writes the state file. Comes before the act that it announces.
        case save
        /// Writes one line to the client. `id` is that of the message, the request or the prompt.
        case write(id: String, line: [UInt8])
        case emit(ClaudeSessionEvent)
        /// A request is answered.
        case resolve(request: String, ControlReply)
    }

    /// The longest line that is written. Lines of 20 MB were seen to be accepted.
    package static let lineLimit = 20_000_000

    package internal(set) var sessionID: String
    /// The session that this one goes on after `/clear`.
    package internal(set) var continues: String?
    package internal(set) var mode: String
    package internal(set) var model: String?
    package internal(set) var directory: String
    package internal(set) var prompts: [OpenPrompt] = []
    /// Errors that the client reported before it was ready.
    package internal(set) var startErrors: [String] = []

    var ledger: MessageLedger
    var partials = PartialTexts()
    var answers = AnswerReader()
    /// An earlier message that the client is to take without an answer.
    var loading: String?
    /// What the client offers besides its own commands.
    var skills: [ClaudeCommand] = []
    /// Work that goes on between the turns, as the client counts it.
    package internal(set) var tasks: Set<String> = []
    /// The requests that wait for their answers, by id.
    var requests: [String: ControlRequest] = [:]
    var toolRequests = ToolRequests()
    /// The client asks for permission when it is asked to call a tool. An older one would call it without.
    package internal(set) var callsTools = false
    var isInitialized = false
    var isInTurn = false
    var hasEnded = false
    var reportedState = ClaudeState.starting
    private let requestPrefix: String
    private var requestCount = 0

    /// - Parameters:
    ///   - requestPrefix: begins the ids of requests. Differs from that of an earlier agent of the same client, whose
    ///     requests may still be answered.
    ///   - unfinished: messages that an earlier agent sent, and whose end it did not see.
    package init(
        sessionID: String,
        mode: String,
        model: String?,
        directory: String,
        requestPrefix: String,
        unfinished: [String] = []
    ) {
        self.sessionID = sessionID
        self.mode = mode
        self.model = model
        self.directory = directory
        self.requestPrefix = requestPrefix
        ledger = MessageLedger(queue: unfinished)
    }

    package var queue: [String] { ledger.queue }
    package var unfinished: [String] { ledger.unfinished }

    package var state: ClaudeState {
        if hasEnded { return .ended }
        if !isInitialized { return .starting }
        if !prompts.isEmpty { return .waiting }
        return isInTurn || !ledger.queue.isEmpty ? .running : .idle
    }

    /// Makes a request. Its answer comes as `resolve` with the id.
    package mutating func request(_ request: ControlRequest) -> (id: String, actions: [Action]) {
        requestCount += 1
        let id = "\(requestPrefix)-\(requestCount)"
        requests[id] = request
        if case .callMCPTool(let name, _) = request { toolRequests.add(id, of: name) }
        return (id, [.write(id: id, line: ClientLine.bytes(request.line(id: id)))])
    }

    /// No actions: the message was sent before.
    ///
    /// - Parameter isFollowed: the answer is reported as it is written.
    package mutating func send(
        id: String,
        content: JSONValue,
        asCommand: Bool,
        isFollowed: Bool = false
    ) throws(ClaudeError) -> [Action] {
        guard !hasEnded else { throw .notRunning }
        guard !ledger.isTakenCareOf(id) else { return [] }
        let content =
            asCommand ? try MessageContent.command(content, among: commands) : MessageContent.plain(content)
        let line = ClientLine.bytes(ClientLine.message(id: id, content: content))
        guard line.count <= ClaudeConversation.lineLimit else {
            throw .messageTooLong(limit: ClaudeConversation.lineLimit)
        }
        ledger.sent(id)
        if isFollowed { answers.follow(id) }
        return [.save, .write(id: id, line: line)] + stateChange()
    }

    /// The line of the message could not be written.
    package mutating func unsent(id: String) -> [Action] {
        ledger.unsent(id)
        answers.unfollow(id)
        return [.save] + stateChange()
    }

    /// nil: the prompt is no longer open.
    package mutating func answer(prompt id: String, _ reply: PromptReply) throws(ClaudeError) -> [Action]? {
        guard let place = prompts.firstIndex(where: { $0.id == id }) else { return nil }
        guard let line = ClientLine.answer(to: prompts[place], reply) else { throw .unfitReply }
        let bytes = ClientLine.bytes(line)
        guard bytes.count <= ClaudeConversation.lineLimit else {
            throw .messageTooLong(limit: ClaudeConversation.lineLimit)
        }
        toolRequests.answered(prompts.remove(at: place), reply)
        return [.write(id: id, line: bytes)] + stateChange()
    }

    /// A line of the client was too long to be read. It may have been a prompt, so the open ones are asked for. It may
    /// have been a tool's result, too: no call waits for it any longer.
    package mutating func lineLost() -> [Action] {
        guard !hasEnded else { return [] }
        let calls = requests.filter { if case .callMCPTool = $0.value { true } else { false } }.keys.sorted()
        for id in calls { requests[id] = nil }
        toolRequests.forget(calls)
        return calls.map { Action.resolve(request: $0, .failure(ClaudeConversation.lostLine)) }
            + request(.initialize(systemPrompt: nil)).actions
    }

    package static let lostLine = "a line of the client was too long"

    package mutating func exited(code: Int32?, signal: Int32?, standardError: [UInt8]) -> [Action] {
        guard !hasEnded else { return [] }
        var actions = requests.keys.sorted().map { Action.resolve(request: $0, .notRunning) }
        requests = [:]
        actions += partials.close().map(Action.emit)
        actions += prompts.map { .emit(.promptWithdrawn(id: $0.id)) }
        prompts = []
        hasEnded = true
        actions += told(answers.exited())
        return actions + [.save] + stateChange()
            + [.emit(.exited(code: code, signal: signal, standardError: standardError))]
    }

    func told(_ parts: [AnswerReader.Part]) -> [Action] {
        parts.map { .emit(.answer(messageID: $0.message, $0.part)) }
    }

    mutating func stateChange() -> [Action] {
        guard state != reportedState else { return [] }
        reportedState = state
        return [.emit(.state(reportedState))]
    }
}

package import JSON

/// One client without a terminal: sends messages, answers its prompts, reports what it does.
///
/// The client has its own ends of the pipes, so it outlives this process: see `adopt`.
package actor ClaudeSession {
    /// Ends with `exited`, or with `detach`. For one consumer; while it does not take them, the client is made to wait.
    package nonisolated let events: AsyncStream<ClaudeSessionEvent>

    let stateDirectory: String
    let process: ProcessHandle
    let channel: ClaudeChannel
    private let output: AsyncQueue<ClaudeSessionEvent>
    private(set) var conversation: ClaudeConversation
    /// What of the state file does not change with the conversation.
    private let origin: RunnerState

    private var replies: [String: CheckedContinuation<ControlReply?, Never>] = [:]
    private var writes: [String: [CheckedContinuation<ClaudeChannel.WriteResult, Never>]] = [:]
    private var exitWaiters: [Int: CheckedContinuation<Void, Never>] = [:]
    private var waiterCount = 0
    private(set) var exit: (code: Int32?, signal: Int32?, standardError: [UInt8])?
    private var receiver: Task<Void, Never>?
    private var isDetached = false
    /// The client is being ended, and is started again later.
    var isParked = false
    /// The MCP tools that the session is left with.
    package private(set) var toolChoice: JSONValue?

    /// How long the client has to answer a request that was taken back.
    package static let cancelSeconds = 3.0
    /// How many events may wait for their consumer.
    private static let eventLimit = 4096

    init(
        stateDirectory: String,
        process: ProcessHandle,
        channel: ClaudeChannel,
        conversation: ClaudeConversation,
        origin: RunnerState
    ) {
        self.stateDirectory = stateDirectory
        self.process = process
        self.channel = channel
        self.conversation = conversation
        self.origin = origin
        toolChoice = origin.toolChoice
        let output = AsyncQueue<ClaudeSessionEvent>(limit: ClaudeSession.eventLimit, merge: ClaudeSession.merge)
        self.output = output
        events = AsyncStream {
            await output.next()
        } onCancel: {
            output.finish()
        }
    }

    /// The id in the environment of everything that the session started.
    var sessionMark: String { origin.sessionID }

    package var snapshot: ClaudeSnapshot {
        ClaudeSnapshot(
            sessionID: conversation.sessionID,
            continues: conversation.continues,
            pid: process.identity.pid,
            directory: conversation.directory,
            state: conversation.state,
            mode: conversation.mode,
            model: conversation.model,
            isRestricted: origin.isRestricted,
            queue: conversation.queue,
            prompts: conversation.prompts
        )
    }

    // MARK: - Input from the client

    func begin() {
        receiver = Task { await receiveAll() }
    }

    /// Lets go of the client, which goes on. Another session can adopt it.
    package func detach() async {
        isDetached = true
        _ = channel.send(.detach)
        await receiver?.value
    }

    /// Takes what the channel brings until the client ends.
    private func receiveAll() async {
        while let input = await channel.input.next() {
            receive(input)
            channel.consumed()
            await output.room()
        }
        // Without an exit, this agent has let go of the client.
        settleAll()
        output.finish()
    }

    private func receive(_ input: ClaudeChannel.Input) {
        switch input {
        case .line(let bytes):
            // A line that began before this agent is no JSON object.
            if let line = try? JSONValue.parse(bytes, maxDepth: 256) { perform(conversation.receive(line)) }
        case .lineLost: perform(conversation.lineLost())
        case .write(let id, let result): settle(write: id, result)
        case .exited(let code, let signal):
            let errors = SessionFiles(directory: stateDirectory).standardError()
            exit = (code, signal, errors)
            perform(conversation.exited(code: code, signal: signal, standardError: errors))
        }
    }

    // MARK: - Actions

    func change<Value>(_ body: (inout ClaudeConversation) throws(ClaudeError) -> Value) throws(ClaudeError) -> Value {
        try body(&conversation)
    }

    /// Returns the ids of the lines that no longer found room.
    @discardableResult
    func perform(_ actions: [ClaudeConversation.Action]) -> [String] {
        var refused: [String] = []
        var unsaved = false
        for action in actions {
            switch action {
            case .save: unsaved = true
            case .write(let id, let line):
                if !channel.send(.line(id: id, bytes: line, state: unsaved ? runnerState : nil)) { refused.append(id) }
                unsaved = false
            case .emit(let event): output.offer(event)
            case .resolve(let request, let reply): replies.removeValue(forKey: request)?.resume(returning: reply)
            }
        }
        if unsaved { _ = channel.send(.save(runnerState)) }
        return refused
    }

    private var runnerState: RunnerState {
        var state = origin
        state.conversationID = conversation.sessionID
        state.continues = conversation.continues
        state.isParked = isParked
        state.mode = conversation.mode
        state.model = conversation.model
        state.directory = conversation.directory
        state.messages = conversation.unfinished
        state.toolChoice = toolChoice
        return state
    }

    /// Keeps this for the next agent, and for the next start of the client.
    package func keep(toolChoice: JSONValue?) {
        guard toolChoice != self.toolChoice else { return }
        self.toolChoice = toolChoice
        perform([.save])
    }

    /// Pieces of one text that nobody has taken yet are one piece.
    private static let merge: @Sendable (ClaudeSessionEvent, ClaudeSessionEvent) -> ClaudeSessionEvent? = {
        last,
        next in
        guard case .partial(let id, let text, let replaces) = last,
            case .partial(id, let more, let replacesAll) = next
        else { return nil }
        return .partial(messageID: id, text: replacesAll ? more : text + more, replaces: replaces || replacesAll)
    }

    // MARK: - Waiting

    /// Does what the conversation wants, and waits until the pipe has taken the line with this id.
    func write(_ id: String, _ actions: [ClaudeConversation.Action]) async throws(ClaudeError) {
        let isRefused = perform(actions).contains(id)
        let result =
            isRefused
            ? .refused : await withCheckedContinuation { writes[id, default: []].append($0) }
        switch result {
        case .written: return
        case .notSaved: throw .notSaved
        case .refused: throw refusal
        }
    }

    /// Why the channel takes no line.
    private var refusal: ClaudeError { channel.isClosed ? .notRunning : .overloaded }

    private func settle(write id: String, _ result: ClaudeChannel.WriteResult) {
        for waiter in writes.removeValue(forKey: id) ?? [] { waiter.resume(returning: result) }
    }

    private func settleAll() {
        for id in Array(writes.keys) { settle(write: id, .refused) }
        for reply in replies.values { reply.resume(returning: .notRunning) }
        replies = [:]
        for waiter in exitWaiters.values { waiter.resume() }
        exitWaiters = [:]
    }

    /// Makes a request and waits for its answer.
    func ask(_ request: ControlRequest, seconds: Double = 30) async throws(ClaudeError) -> JSONValue {
        guard !conversation.hasEnded, !isDetached else { throw .notRunning }
        let (id, actions) = conversation.request(request)
        guard perform(actions).isEmpty else { throw refusal }
        return try await reply(to: id, seconds: seconds)
    }

    /// Gives the client an earlier message, and waits until the next one may follow.
    func load(_ message: ChatStart.Message, as id: String, seconds: Double) async throws(ClaudeError) {
        guard !conversation.hasEnded, !isDetached else { throw .notRunning }
        let (actions, isAwaited) = conversation.load(message, as: id)
        guard perform(actions).isEmpty else { throw refusal }
        if isAwaited { _ = try await reply(to: id, seconds: seconds) }
    }

    /// Has the client call a tool. After the time the call is taken back, and the client has some seconds to say so.
    func ask(_ call: ControlRequest, cancelledAfter seconds: Double) async throws(ClaudeError) -> JSONValue {
        guard !conversation.hasEnded, !isDetached else { throw .notRunning }
        let (id, actions) = conversation.request(call)
        guard perform(actions).isEmpty else { throw refusal }
        let alarm = Task {
            try? await Task.sleep(for: .seconds(seconds))
            if !Task.isCancelled { perform(conversation.cancel(request: id)) }
        }
        defer { alarm.cancel() }
        return try await reply(to: id, seconds: seconds + ClaudeSession.cancelSeconds)
    }

    private func reply(to id: String, seconds: Double) async throws(ClaudeError) -> JSONValue {
        let alarm = Task {
            try? await Task.sleep(for: .seconds(seconds))
            expire(request: id)
        }
        let reply = await withCheckedContinuation { replies[id] = $0 }
        alarm.cancel()
        switch reply {
        case nil, .noReply: throw .noReply
        case .success(let content): return content
        case .failure(let reason): throw .refused(reason)
        case .denied(let reason): throw .denied(reason)
        case .notRunning: throw .notRunning
        }
    }

    private func expire(request id: String) {
        replies.removeValue(forKey: id)?.resume(returning: nil)
    }

    /// Returns false if the client still runs after this time.
    func waitForExit(seconds: Double) async -> Bool {
        guard exit == nil else { return true }
        waiterCount += 1
        let number = waiterCount
        let alarm = Task {
            try? await Task.sleep(for: .seconds(seconds))
            exitWaiters.removeValue(forKey: number)?.resume()
        }
        await withCheckedContinuation { exitWaiters[number] = $0 }
        alarm.cancel()
        return exit != nil
    }
}

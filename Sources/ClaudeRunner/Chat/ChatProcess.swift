package import JSON
internal import Workers

package enum ChatEvent: Sendable, Equatable {
    /// The model that answers. Comes before its text.
    case model(String)
    case text(String)
    /// The turn goes on with `proceed`.
    case called(ChatEnd)
    /// The last event.
    case ended(ChatEnd)
}

/// The client of one chat. It is told nothing before the chat begins, and ends with the chat's turn.
package actor ChatProcess {
    /// The id of Claude Code's session.
    package nonisolated let id: String
    /// For one consumer.
    package nonisolated let events: AsyncStream<ChatEvent>

    private let output: AsyncQueue<ChatEvent>
    private let channel: ClaudeChannel
    private let process: ProcessHandle
    private let files: SessionFiles
    private var conversation: ChatConversation?
    private var toldModel: String?
    private var hasExited = false
    private var isEnding = false

    private init(_ channel: ClaudeChannel, _ process: ProcessHandle, _ files: SessionFiles, id: String) {
        (self.channel, self.process, self.files, self.id) = (channel, process, files, id)
        let output = AsyncQueue<ChatEvent>(limit: 4096, merge: ChatProcess.merge)
        self.output = output
        events = AsyncStream {
            await output.next()
        } onCancel: {
            output.finish()
        }
    }

    /// Pieces of text that nobody has taken yet are one piece.
    private static let merge: @Sendable (ChatEvent, ChatEvent) -> ChatEvent? = { last, next in
        guard case .text(let text) = last, case .text(let more) = next else { return nil }
        return .text(text + more)
    }

    /// Starts a client and begins the chat.
    ///
    /// - Parameter directory: that of all chats' files.
    package static func start(
        _ start: ChatStart,
        below directory: String
    ) async throws(ClaudeStartError) -> ChatProcess {
        try start.check()
        let chat = try await prepare(start.client, id: start.id, below: directory)
        _ = await chat.begin(start)
        return chat
    }

    /// Starts a client for a chat that begins later, if ever. `interrupt` ends it.
    ///
    /// - Parameters:
    ///   - id: a UUID in lower case.
    ///   - directory: that of all chats' files.
    package static func prepare(
        _ client: ChatClient,
        id: String,
        below directory: String
    ) async throws(ClaudeStartError) -> ChatProcess {
        guard ClaudeStart.isSessionID(id) else { throw .invalid("the id") }
        try client.check()
        let chat = try await runBlocking { () throws(ClaudeStartError) in try launch(client, id, directory + "/" + id) }
        await chat.listen()
        return chat
    }

    private static func launch(
        _ client: ChatClient,
        _ id: String,
        _ place: String
    ) throws(ClaudeStartError) -> ChatProcess {
        // Only another agent of the same boot reads them, and each wait for the disk delays the first character.
        let files = SessionFiles(directory: place, isDurable: false)
        let directory = try ClaudeSession.open(directory: client.directory)
        var state = RunnerState(
            sessionID: id,
            conversationID: id,
            bootID: ProcessTable.bootID,
            directory: client.directory,
            mode: "default",
            model: client.model,
            isRestricted: true,
            executable: client.executable
        )
        do throws(SystemFault) {
            try files.prepare()
            // Open before the client opens its ends, and until the channel has its own: a chat must not outlive an
            // agent that is killed, because nobody would get its answer.
            let pipes = [try SessionFiles.openPipe(files.input), try SessionFiles.openPipe(files.output)]
            defer { withExtendedLifetime(pipes) {} }
            let process = try ClaudeSession.spawn(
                client.executable,
                client.arguments(id: id),
                environment: client.wholeEnvironment(id: id),
                &state,
                files,
                streams: .pipesOfAgent(files),
                in: directory
            )
            do throws(SystemFault) {
                let channel = try ClaudeChannel()
                try channel.open(files: files, process: process, state: state)
                return ChatProcess(channel, process, files, id: id)
            } catch {
                ClaudeSession.end(process)
                throw error
            }
        } catch {
            files.remove()
            throw .system(error.description)
        }
    }

    private func listen() {
        Task { await receiveAll() }
    }

    /// Whether a chat can still begin.
    package var isReady: Bool { conversation == nil && !hasExited && !isEnding && !channel.isClosed }

    /// Begins the chat, whose client must be that with which this process was started. Returns false if the process has
    /// ended, or has a chat.
    package func begin(_ start: ChatStart) -> Bool {
        guard isReady else { return false }
        var conversation = ChatConversation(start)
        let actions = conversation.begin()
        self.conversation = conversation
        perform(actions)
        return true
    }

    /// Ends the turn: `ended` follows. Ends the process at once if no chat has begun.
    package func interrupt() {
        guard let actions = conversation?.interrupt() else { return finish() }
        perform(actions)
        // A client that does not answer is ended.
        Task {
            try? await Task.sleep(for: .seconds(5))
            finish()
        }
    }

    /// Gives the results of the model's calls, as lists of content blocks. Returns false if nobody waits for them.
    package func proceed(_ results: [String: JSONValue]) -> Bool {
        guard conversation?.isWaiting == true, let actions = conversation?.proceed(results) else { return false }
        perform(actions)
        return true
    }

    private func receiveAll() async {
        while let input = await channel.input.next() {
            switch input {
            case .line(let bytes):
                if let line = try? JSONValue.parse(bytes, maxDepth: 256) { perform(conversation?.receive(line) ?? []) }
            case .lineLost, .write: break
            case .exited:
                hasExited = true
                let words = String(decoding: files.standardError().suffix(1000), as: UTF8.self)
                perform(conversation?.exited(words) ?? [])
            }
            channel.consumed()
            await output.room()
        }
        files.remove()
        output.finish()
    }

    private func perform(_ actions: [ChatConversation.Action]) {
        for action in actions {
            switch action {
            case .write(let line): if !channel.send(.line(id: "", bytes: line, state: nil)) { finish() }
            case .text(let text):
                tellModel()
                output.offer(.text(text))
            case .called(let end): output.offer(.called(end))
            case .ended(let end):
                output.offer(.ended(end))
                finish()
            }
        }
    }

    private func tellModel() {
        guard let model = conversation?.end.model, model != toldModel else { return }
        toldModel = model
        output.offer(.model(model))
    }

    /// Ends the process. What it has said last is still read.
    private func finish() {
        guard !isEnding, !hasExited else { return }
        isEnding = true
        process.send(.terminate)
        Task {
            try? await Task.sleep(for: .seconds(5))
            if !hasExited { process.send(.kill) }
        }
    }
}

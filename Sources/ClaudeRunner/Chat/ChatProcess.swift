package import JSON
internal import Workers

package enum ChatEvent: Sendable, Equatable {
    case text(String)
    /// The turn goes on with `proceed`.
    case called(ChatEnd)
    /// The last event.
    case ended(ChatEnd)
}

/// The client of one chat. It ends with its turn.
package actor ChatProcess {
    /// For one consumer.
    package nonisolated let events: AsyncStream<ChatEvent>

    private let output: AsyncQueue<ChatEvent>
    private let channel: ClaudeChannel
    private let process: ProcessHandle
    private let files: SessionFiles
    private var conversation: ChatConversation
    private var hasExited = false
    private var isEnding = false

    private init(_ start: ChatStart, _ channel: ClaudeChannel, _ process: ProcessHandle, _ files: SessionFiles) {
        (self.channel, self.process, self.files) = (channel, process, files)
        conversation = ChatConversation(start)
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

    package static func start(_ start: ChatStart) async throws(ClaudeStartError) -> ChatProcess {
        try start.check()
        let chat = try await runBlocking { () throws(ClaudeStartError) in try launch(start) }
        await chat.begin()
        return chat
    }

    private static func launch(_ start: ChatStart) throws(ClaudeStartError) -> ChatProcess {
        let files = SessionFiles(directory: start.stateDirectory)
        let directory = try ClaudeSession.open(directory: start.directory)
        var state = RunnerState(
            sessionID: start.id,
            conversationID: start.id,
            bootID: ProcessTable.bootID,
            directory: start.directory,
            mode: "default",
            model: start.model,
            isRestricted: true,
            executable: start.executable
        )
        do throws(SystemFault) {
            let process = try ClaudeSession.spawn(
                start.executable,
                start.arguments,
                environment: start.wholeEnvironment,
                &state,
                files,
                in: directory
            )
            do throws(SystemFault) {
                let channel = try ClaudeChannel()
                try channel.open(files: files, process: process, state: state)
                return ChatProcess(start, channel, process, files)
            } catch {
                ClaudeSession.end(process)
                throw error
            }
        } catch {
            files.remove()
            throw .system(error.description)
        }
    }

    private func begin() {
        perform(conversation.begin())
        Task { await receiveAll() }
    }

    /// Ends the turn: `ended` follows.
    package func interrupt() {
        perform(conversation.interrupt())
        // A client that does not answer is ended.
        Task {
            try? await Task.sleep(for: .seconds(5))
            finish()
        }
    }

    /// Gives the results of the model's calls, as lists of content blocks. Returns false if nobody waits for them.
    package func proceed(_ results: [String: JSONValue]) -> Bool {
        guard conversation.isWaiting else { return false }
        perform(conversation.proceed(results))
        return true
    }

    private func receiveAll() async {
        while let input = await channel.input.next() {
            switch input {
            case .line(let bytes):
                if let line = try? JSONValue.parse(bytes, maxDepth: 256) { perform(conversation.receive(line)) }
            case .lineLost, .write: break
            case .exited:
                hasExited = true
                let words = String(decoding: files.standardError().suffix(1000), as: UTF8.self)
                perform(conversation.exited(words))
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
            case .text(let text): output.offer(.text(text))
            case .called(let end): output.offer(.called(end))
            case .ended(let end):
                output.offer(.ended(end))
                finish()
            }
        }
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

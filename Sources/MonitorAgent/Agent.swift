internal import ClaudeRunner
internal import EventModel
internal import Host
internal import JSON
internal import Logging
internal import MachinePolicy
internal import RPC
internal import WebSocketClient
internal import Workers

/// The agent: sessions, their connection to the server, and the commands that come over it.
actor Agent {
    let places: AgentPlaces
    let files: MachineFiles
    let logger: Logger
    /// The environment of this process before anything was removed from it, as `NAME=value`.
    let environment: [String]
    let identity: String
    /// Names this process of the agent.
    let instance: String
    let options: RunOptions
    let clock = SystemClock.makeSteady()
    let audit: AuditTrail
    var outcomes: GrowingFile

    var table = SessionTable()
    var memory: CommandMemory
    var sessions: [String: ClaudeSession] = [:]
    var terminals: [String: TerminalSession] = [:]
    /// Whether the machine's file let a terminal be seen when it was last read.
    var terminalRights: [String: (isAllowed: Bool, at: Double)] = [:]
    /// The directories by which the machine's files judge the sessions.
    var directories: [String: String] = [:]
    var starting: Set<String> = []
    /// Sessions whose process has ended to save memory.
    var parked: [String: RunnerState] = [:]
    /// Those whose process is being ended for that.
    var parking: Set<String> = []
    /// Those that are being parked or woken: commands to them wait.
    var passages: [String: Task<Void, Never>] = [:]
    var idleClock = IdleClock()
    /// The latest message to each session, which the next one waits for.
    var queues: [String: Task<Void, Never>] = [:]
    /// For the commands about files and repositories.
    var workspacePlaces = WorkspacePlaces()
    /// The chats that are being answered.
    var chats: [String: ChatProcess] = [:]
    /// The chats that have a place and no process yet, and whether each is to end at once.
    var startingChats: [String: Bool] = [:]
    var chatQueue = ChatQueue()
    var chatSpending: ChatSpending
    /// Those that wait for a place, by the ids of their chats.
    var chatWaiters: [String: CheckedContinuation<ChatEntry, Never>] = [:]
    var warmChat: WarmChat?
    /// The next one is being started.
    var isWarming = false
    /// Clients that run only to tell their MCP servers or their models.
    var hosts = 0
    /// What the machine's Claude Code has said last.
    var offered: OfferedModels?
    /// Those to whom the answers to messages are told, by the messages' ids.
    var followers: [String: AsyncStream<AnswerPart>.Continuation] = [:]
    var parkedChats = ParkedChats()
    var toolCalls = ToolCalls()
    /// Those that wait for a person to decide about a call, by the prompts.
    var deciders: [String: (key: String, decide: CheckedContinuation<ToolCallDecision, Never>)] = [:]
    var listedTools = ListedTools()
    /// Clients that run only to run tools, by their ids.
    var callHosts: [String: CallHost] = [:]
    var startingHosts = 0
    /// What `limitTools` has denied to sessions, by their ids.
    var toolDenials: [String: [String]] = [:]
    let workspaces = WorkspaceServices()
    var uploads = Uploads()
    /// Those that wait for the outcome of a command.
    var askers: [String: [Asker]] = [:]

    var link = LinkState()
    let ticker = AsyncSignal()
    var retryAt: Double?
    var isStopping = false
    var isStatusStale = true
    var client: InstalledClient?
    /// What `client` was found from.
    var clientMark: ClientMark?
    /// Claude Code is being looked for.
    var isFindingClient = false

    struct Asker {
        var generation: Int
        var token: Int64
    }

    /// The connection of the moment.
    struct LinkState {
        var connection: WebSocketConnection?
        var peer: RPCPeer?
        var subjects: [RPCCallID: SessionTable.Subject] = [:]
        /// Counts connections and their ends: an answer goes only to the one that asked.
        var generation = 0
        /// The connection is being closed from here: what still arrives on it is not read.
        var isDropped = false
        var server = ""
        var node: String?
        /// The version of the agent that machines can download from the server.
        var release: String?
        var since: Timestamp?
        var problem: String?
        /// What the server was last told that the machine's file allows, and when it is compared again.
        var may = JSONValue.null
        var mayDue = 0.0
    }

    init(
        places: AgentPlaces,
        environment: [String],
        identity: String,
        options: RunOptions,
        logger: Logger
    ) throws(OwnFile.Fault) {
        self.places = places
        files = MachineFiles(directory: places.directory, home: places.home)
        (self.environment, self.identity, self.options, self.logger) = (environment, identity, options, logger)
        var random = SystemRandomNumberGenerator()
        instance = EventID.version7(at: SystemClock.now(), using: &random).description
        audit = try AuditTrail(places.audit)
        chatSpending = ChatSpending(stored: OwnFile.tail(places.chatSpending, atMost: 4096))
        memory = CommandMemory(stored: OwnFile.tail(places.outcomes, atMost: 4 << 20), now: SystemClock.now())
        // Only what is still of use is kept.
        try OwnFile.replace(places.outcomes, memory.stored)
        outcomes = try GrowingFile(places.outcomes)
    }

    var now: Double { clock().seconds(since: Timestamp(microseconds: 0)) }

    /// Runs until `stop`.
    func run() async {
        await findClient()
        await adoptAll()
        await endLeftChats()
        await endLeftHosts()
        let ticking = Task { await tickUntilStopped() }
        let telling = Task {
            for await notice in workspaces.watches.notices { notify(notice.method, notice.params) }
        }
        await keepLinked()
        await ticking.value
        await awaitChatEnds()
        await endCallHosts()
        await awaitHostEnds()
        telling.cancel()
        for session in sessions.values { await session.detach() }
        for terminal in terminals.values { await terminal.detach() }
        writeStatus()
        logger.info("stopped", metadata: ["sessions_left_running": "\(sessions.count + terminals.count)"])
    }

    func stop() {
        isStopping = true
        link.connection?.close()
        ticker.notify()
    }

    // MARK: What the table wants done

    func perform(_ actions: [SessionTable.Action]) async {
        isStatusStale = true
        for action in actions {
            switch action {
            case .call(let subject, let method, let params): call(subject, method, params)
            case .notify(let method, let params): notify(method, params)
            case .reply(let key, let prompt, let reply): await give(reply, to: prompt, in: key)
            case .retry(let seconds): retryAt = min(retryAt ?? .infinity, now + seconds)
            case .drop: drop()
            }
        }
        ticker.notify()
    }

    func drop() {
        link.isDropped = true
        link.connection?.close()
    }

    private func give(_ reply: PromptReply, to prompt: String, in key: String) async {
        if decide(prompt, ToolCallDecision(ofMachine: reply)) { return }
        guard let session = sessions[key] else { return }
        do throws(ClaudeError) {
            let isApplied = try await session.answer(prompt: prompt, reply)
            record("denied", [("session_id", .string(key)), ("applied", .bool(isApplied))])
        } catch {
            logger.warning("a prompt could not be denied", metadata: ["session": "\(key)", "error": "\(error)"])
        }
    }

    func record(_ what: String, _ fields: [(String, JSONValue)]) {
        do throws(OwnFile.Fault) {
            try audit.record(what, at: SystemClock.now(), fields)
        } catch {
            logger.error("the audit cannot be written", metadata: ["error": "\(error)"])
        }
    }

    // MARK: Time

    private func tickUntilStopped() async {
        while !isStopping {
            let due = [
                tendIdle(now: now), table.deadline,
                link.peer?.nextDeadline.map { $0.seconds(since: Timestamp(microseconds: 0)) }, retryAt,
                link.peer.map { _ in link.mayDue }, parkedChats.deadline, chatQueue.deadline,
                warmChat?.deadline,
                toolCalls.deadline, hostDeadline(now: now),
            ]
            .compactMap { $0 }.min()
            if isStatusStale { writeStatus() }
            let seconds = due.map { max(0.005, $0 - now) } ?? 3600
            await ticker.wait(atMost: min(seconds, 3600))
            let time = now
            await receive(link.peer?.tick(now: clock()) ?? [])
            if link.mayDue <= time || warmChat.map({ $0.deadline <= time }) ?? false { await tendWarmChat(now: time) }
            if link.mayDue <= time {
                restateMay()
                Task { await findClient() }
            }
            await endDueChats(now: time)
            endLateWaits(now: time)
            // The machine's file may allow more than before.
            admitChats()
            toolCalls.expire(now: time)
            await endIdleHosts(now: time)
            var actions = table.tick(now: time)
            if let at = retryAt, at <= time {
                retryAt = nil
                actions += table.deliver()
            }
            if !actions.isEmpty { await perform(actions) }
        }
    }
}

internal import API
internal import Agents
internal import EventIngest
internal import EventModel
internal import HTTPModel
internal import Logging
internal import Messages
internal import Persistence
internal import Prompts
internal import RPC
internal import Sessions
internal import Synchronization

/// Does for the sessions of one connected agent what the hooks do for those of a terminal: asks for the messages to
/// them, and keeps their prompts open for answers. May be used on any thread.
final class AgentWorker: Sendable {
    static let retrySeconds = 2.0

    let link: AgentLink
    let context: ServerContext
    private let prompted: AgentPromptHolds
    private let onFound: @Sendable (String) -> Void
    /// One session of the agent.
    private struct Poster {
        /// Asks for the messages to the session.
        var task: Task<Void, Never>
        /// The session's id in the log, once it is known. It differs from Claude Code's own if another machine has used
        /// that one.
        var sessionID: String?
    }

    /// By Claude Code's own ids.
    private let posters = Mutex<[String: Poster]>([:])
    private let hasEnded = Mutex(false)
    /// The ids of messages that the agent has, by the ids that Claude Code knows them by.
    private let given = Mutex<[GivenMessage: String]>([:])

    /// - Parameter onFound: called when the id of a session in the log is known, with the session's name. Any thread.
    init(context: ServerContext, link: AgentLink, onFound: @escaping @Sendable (_ name: String) -> Void) {
        (self.context, self.link, self.onFound) = (context, link, onFound)
        prompted = AgentPromptHolds(context: context, link: link)
    }

    var prompts: AgentPrompts {
        AgentPrompts(
            open: { [prompted] prompt async throws(RPCError) in try await prompted.open(prompt) },
            withdraw: { [prompted] end async throws(RPCError) in await prompted.withdraw(end) }
        )
    }

    /// The agent's identity is checked.
    func begin() {
        if let replaced = context.agents.links.add(link) {
            context.loop.post { handler, loop in handler.closeReplaced(replaced, on: loop) }
        }
        for session in link.greeting.sessions {
            tellBeginning(session)
            tellContinuation(session)
            tellParking(session, before: nil)
            ask(for: session)
        }
        context.task(for: link.machine) { [prompted, link] in
            for prompt in link.greeting.prompts { try? await prompted.open(prompt) }
        }
        context.task(for: link.machine) { [context, link] in
            await context.agents.forgetErasedChanges(on: link)
        }
        context.task(for: link.machine) { [context, link] in
            do throws(APIError) {
                for failed in try await context.agents.openWorkspaces(of: link) {
                    context.logger.warning(
                        "a session could not be opened",
                        metadata: [
                            "machine": "\(link.machineName)", "path": "\(failed.path)",
                            "error": "\(failed.error.message)",
                        ]
                    )
                }
            } catch {
                context.logger.warning("no sessions are opened", metadata: ["error": "\(error.message)"])
            }
        }
    }

    func end() {
        context.agents.links.remove(link, at: context.clock())
        hasEnded.withLock { $0 = true }
        let tasks = posters.withLock { posters in
            defer { posters = [:] }
            return Array(posters.values)
        }
        for poster in tasks { poster.task.cancel() }
        prompted.linkEnded()
    }

    /// The ids in the log of the sessions that the agent runs.
    var sessions: [String] { posters.withLock { $0.values.compactMap(\.sessionID) } }

    func id(ofSessionNamed name: String) -> String? { posters.withLock { $0[name]?.sessionID } }

    /// Whether the session's id in the log is still being looked up.
    func isLookingFor(_ name: String) -> Bool { posters.withLock { $0[name].map { $0.sessionID == nil } ?? false } }

    func perform(_ action: AgentHost.Action) {
        switch action {
        case .greeted, .partial, .screen, .chatText, .turnStep, .filesChanged, .gitChanged, .watch: break
        case .allowed(let may): link.may = may
        case .clients(let clients): link.clients = clients
        case .message(let notice): noted(notice)
        case .session(let session): changed(session)
        case .turnEnded(let end):
            guard end.isInterrupted else { return }
            add(.sessionInterrupted, to: end.sessionID, "the turn was interrupted")
        }
    }

    private func changed(_ session: AgentSession) {
        let (before, isNew) = context.agents.links.update(session, of: link)
        if isNew {
            tellContinuation(session)
            ask(for: session)
        }
        guard session.state == .ended else {
            // A link that was replaced says nothing any more.
            if isNew || before != nil { tellParking(session, before: before) }
            return
        }
        posters.withLock { $0.removeValue(forKey: session.id) }?.task.cancel()
        let reason = session.reason ?? "exit"
        var change = SessionChange()
        if AgentWorker.toldReasons.contains(reason) { change.endReason = reason }
        if before?.isParked ?? session.isParked { change.isParked = false }
        if !change.isEmpty { submit(change, in: session.id) }
        add(.sessionGone, to: session.id, "Claude Code has ended: \(reason)")
    }

    // MARK: Messages

    /// The hooks of a session in a terminal ask for its messages.
    private func ask(for session: AgentSession) {
        guard !hasEnded.withLock({ $0 }) else { return }
        posters.withLock { posters in
            posters[session.id]?.task.cancel()
            let task = context.task(for: link.machine) { [self] in
                await find(session.id)
                while !session.hasTerminal, !Task.isCancelled { await deliverNext(to: session.id) }
            }
            posters[session.id] = Poster(task: task)
        }
    }

    private func find(_ name: String) async {
        while !Task.isCancelled {
            do {
                let id = try await context.database.store().ownSessionID(of: name, on: link.machine)
                posters.withLock { $0[name]?.sessionID = id }
                return onFound(name)
            } catch {
                try? await Task.sleep(for: .seconds(AgentWorker.retrySeconds))
            }
        }
    }

    private func deliverNext(to session: String) async {
        do throws(APIError) {
            let next = try await context.messages.nextMessage(
                ofSessionNamed: session,
                for: link.machine,
                hasSocket: true,
                takesCommands: true
            )
            guard let next else { return }
            try await deliver(next, to: session)
        } catch {
            try? await Task.sleep(for: .seconds(AgentWorker.retrySeconds))
        }
    }

    /// A message whose outcome is unknown is offered again. The agent ignores a message that it knows.
    private func deliver(_ message: SessionMessage, to name: String) async throws(APIError) {
        let given = AgentMessage(
            sessionID: name,
            id: message.clientID,
            message.agentBody,
            images: try await context.messages.images(of: message),
            by: message.author
        )
        let cancelled: [String]
        let key = GivenMessage(session: name, message: message.clientID)
        self.given.withLock { $0[key] = message.id }
        do throws(APIError) {
            cancelled = try await context.agents.deliver(given, to: link)
        } catch {
            guard error.retryAfter == nil else { throw error }
            self.given.withLock { $0[key] = nil }
            let reason = error.message
            return try await context.messages.receipt(message.id, .failed, detail: reason, from: link.machine)
        }
        // First: the request that waits for the interruption then reads what was taken back.
        for id in cancelled { try await context.messages.takenBack(id, of: message.sessionID, from: link.machine) }
        try await context.messages.receipt(message.id, .delivered, detail: nil, from: link.machine)
    }

    /// Claude Code has taken a message up, or somebody has cancelled it.
    private func noted(_ notice: AgentMessageNotice) {
        let key = GivenMessage(session: notice.sessionID, message: notice.messageID)
        let id = given.withLock { $0.removeValue(forKey: key) }
        let session = self.id(ofSessionNamed: notice.sessionID)
        context.task(for: link.machine) { [messages = context.messages, link] in
            if notice.state == .cancelled, let session {
                try? await messages.takenBack(notice.messageID, of: session, from: link.machine)
            } else if let id {
                try? await messages.receipt(id, .read, detail: nil, from: link.machine)
            }
        }
    }

    // MARK: Events

    /// The reasons for an end that are shown as such. Others are of no use to people.
    private static let toldReasons: Set<String> = ["clear", "machine_restarted", "taken"]

    /// Adds an event for what the agent reports of a session. With a name, a repeated report adds nothing.
    func submit(
        _ change: SessionChange,
        named name: String? = nil,
        in session: String,
        at directory: String? = nil
    ) {
        let event = context.agents.event(of: change, named: name, in: session, at: directory, link)
        context.task(for: link.machine) { [pipeline = context.pipeline] in
            _ = await pipeline.submit([event])
        }
    }

    /// Adds an event for what Claude Code does without running a hook.
    private func add(_ type: EventType, to session: String, _ summary: String) {
        var random = SystemRandomNumberGenerator()
        let now = context.clock()
        let event = MonitorEvent(
            id: .version7(at: now, using: &random),
            type: type,
            hookEventName: nil,
            timestamp: now,
            receivedAt: now,
            machine: link.machine,
            machineName: link.machineName,
            sessionID: session,
            projectPath: nil,
            toolName: nil,
            summary: summary,
            payload: Array(#"{"by":"agent"}"#.utf8),
            facts: SessionFacts(detail: type == .sessionGone ? "gone" : nil)
        )
        context.task(for: link.machine) { [pipeline = context.pipeline] in
            _ = await pipeline.submit([event])
        }
    }
}

extension SessionMessage {
    fileprivate var agentBody: AgentMessage.Body {
        guard kind == .message else { return .interruption(cancelsQueued: cancelsQueued) }
        return isCommand ? .command(text ?? "") : .text(text ?? "")
    }
}

/// A message as Claude Code knows it. Clients choose its id, so different sessions may have messages of the same id.
private struct GivenMessage: Hashable {
    /// Claude Code's own id.
    var session: String
    var message: String
}

package import EventModel
package import HTTPModel
internal import JSON
internal import Logging
internal import Persistence
internal import Sessions
internal import Synchronization

/// Gives messages to machines, and records what became of them.
extension InteractionService {
    /// The number of seconds in which a machine delivers a message that it was given.
    static let offerSeconds = 60.0
    /// The number of seconds after which a delivered but unread message no longer holds back the next one. A busy
    /// session reads messages without reporting it.
    private static let unreadSeconds = 20.0
    /// The number of seconds for which an interruption is valid. It is meant for the running turn.
    static let interruptSeconds = 3600.0
    package static let pollSeconds = 50.0
    /// A transcript's time for a message may be this number of seconds before the server sent the message, because the
    /// two clocks differ.
    private static let offerToleranceSeconds = 1.0

    /// Returns the next message for the machine's session. Waits until there is one, or the task is cancelled. The
    /// session may have no event yet; that it takes messages is recorded with its first event.
    ///
    /// - Parameter name: Claude Code's own session id.
    package func nextMessage(
        ofSessionNamed name: String,
        for machine: MachineID,
        hasSocket: Bool
    ) async throws(APIError) -> SessionMessage? {
        let (sessionID, hasEnded) = try await environment.database.use { store throws(PersistenceError) in
            let id = try await store.ownSessionID(of: name, on: machine)
            let session = try await store.session(id: id)
            // Another machine may have begun the session since its id was looked up.
            let hasEnded = session?.machine == machine && session?.endedAt != nil
            return (id, hasEnded)
        }
        if hasEnded {
            throw APIError(.conflict, status: 410, code: "session_ended", message: "The session has ended.")
        }
        var isNoted = false
        let expectation = waiters.expect(sessionID, on: machine, hasSocket: hasSocket)
        defer { waiters.stopExpecting(sessionID, expectation) }
        while !Task.isCancelled {
            let generation = waiters.generation(of: sessionID)
            let now = environment.clock()
            if !isNoted {
                isNoted = try await environment.database.use { store throws(PersistenceError) in
                    try await store.notePoster(of: sessionID, on: machine, hasSocket: hasSocket, at: now)
                }
                if isNoted { waiters.stopExpecting(sessionID, expectation) }
            }
            let offered = try await environment.database.use { store throws(PersistenceError) in
                try await store.offerMessage(
                    to: sessionID,
                    on: machine,
                    now: now,
                    unreadSince: now.adding(seconds: -InteractionService.unreadSeconds),
                    interruptsSince: now.adding(seconds: -InteractionService.interruptSeconds)
                )
            }
            if let offered { return offered }
            await waiters.wait(for: sessionID, since: generation)
        }
        return nil
    }

    /// Records the machine's report of what became of a message.
    package func receipt(
        _ id: String,
        _ state: SessionMessage.State,
        detail: String?,
        from machine: MachineID
    ) async throws(APIError) {
        let now = environment.clock()
        let earlier: [SessionMessage.State] = state == .delivered ? [.queued] : [.queued, .delivered]
        let (settled, known) = try await environment.database.use { store throws(PersistenceError) in
            let settled = try await store.settleMessage(
                id,
                of: machine,
                as: state,
                from: earlier,
                detail: detail,
                at: now
            )
            return (settled, settled == nil ? try await store.message(id: id) : nil)
        }
        if let settled {
            await tell(settled)
            return waiters.notify(settled.sessionID)
        }
        guard let known, known.machine == machine else {
            throw .notFound("message_not_found", "There is no message of that id for this machine.")
        }
    }

    /// Handles committed events. Called on the writer's thread; does not block.
    package func committed(_ events: [CommittedEvent]) {
        waiters.began(events.lazy.compactMap(\.event.sessionID))
        let sessions = outstanding.withLock { $0 }
        guard sessions?.isEmpty != true else { return }
        for event in events {
            guard let id = event.event.sessionID, sessions?.contains(id) ?? true else { continue }
            if event.event.type == .sessionGone {
                Task { [self] in await abandon(id, nil, because: "the session's process has gone") }
            }
            switch event.event.hookEventName?.known {
            case .userPromptSubmit:
                let prompt = (try? JSONValue.parse(event.event.payload))?["prompt"]?.string
                Task { [self] in await submitted(prompt, to: id, isInjected: event.event.facts.promptIsInjected) }
            case .stop, .stopFailure:
                Task { [self] in await abandon(id, .interrupt, because: "the turn ended first") }
            case .sessionEnd: Task { [self] in await abandon(id, nil, because: "the session ended") }
            default: break
            }
        }
    }

    /// Handles a prompt that the session has accepted. It is the receipt of the first message with its text. If the
    /// content policy keeps no prompts, the prompt may be another one and does not count as a receipt.
    private func submitted(_ prompt: String?, to sessionID: String, isInjected: Bool) async {
        guard !isInjected, let prompt else { return }
        await read(in: sessionID, before: nil) { message in
            MessageReceipt.isSame(prompt, self.environment.kept(message) ?? message)
        }
    }

    /// Handles messages that the transcript of a busy session shows as read, in their order. Any thread; does not
    /// block.
    ///
    /// - Parameters:
    ///   - messages: the messages as they were sent, each with the time of its arrival.
    ///   - name: Claude Code's own session id.
    package func messagesRead(
        _ messages: [(text: String, at: Timestamp)],
        inSessionNamed name: String,
        on machine: MachineID
    ) {
        guard outstanding.withLock({ $0?.isEmpty != true }) else { return }
        Task { [self] in
            let id = try? await environment.database.use { store throws(PersistenceError) in
                try await store.ownSessionID(of: name, on: machine)
            }
            guard let id, outstanding.withLock({ $0?.contains(id) ?? true }) else { return }
            for (text, time) in messages {
                // A message with the same text that was given to the machine later does not match.
                let limit = time.adding(seconds: InteractionService.offerToleranceSeconds)
                await read(in: id, on: machine, before: limit) { MessageReceipt.isSame(text, $0) }
            }
        }
    }

    /// - Parameter limit: messages that were given to the machine after this time are ignored.
    private func read(
        in sessionID: String,
        on machine: MachineID? = nil,
        before limit: Timestamp?,
        where isMeant: @escaping @Sendable (String) -> Bool
    ) async {
        let now = environment.clock()
        let read = try? await environment.database.use { store throws(PersistenceError) -> SessionMessage? in
            let unread = try await store.unreadMessages(of: sessionID, offeredBefore: limit ?? now)
            let message = unread.first { message in
                machine ?? message.machine == message.machine && message.text.map(isMeant) ?? false
            }
            guard let message else { return nil }
            return try await store.settleMessage(
                message.id,
                of: message.machine,
                as: .read,
                from: [.queued, .delivered],
                at: now
            )
        }
        guard let read = read ?? nil else { return }
        await tell(read)
        waiters.notify(sessionID)
    }

    private func abandon(_ sessionID: String, _ kind: SessionMessage.Kind?, because reason: String) async {
        let now = environment.clock()
        let failed = try? await environment.database.use { store throws(PersistenceError) in
            try await store.abandonMessages(of: sessionID, kind, because: reason, at: now)
        }
        for message in failed ?? [] { await tell(message) }
        if kind == nil { waiters.notify(sessionID) }
    }

    /// Wakes requests whose message arrived through another server, or was held back until now.
    func wakeWaiters() async {
        let before = outstanding.withLock { $0 } ?? []
        let unread = try? await environment.database.use { store throws(PersistenceError) in
            try await store.sessionsWithUnreadMessages()
        }
        guard let unread else { return }
        // The result of the read may lack messages that were queued in the meantime.
        outstanding.withLock { $0 = unread.union(($0 ?? []).subtracting(before)) }
        for session in waiters.sessions where unread.contains(session) { waiters.notify(session) }
        // Their sessions may have begun through another server.
        waiters.began(waiters.expected)
    }
}

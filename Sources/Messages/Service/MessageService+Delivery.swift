package import EventModel
package import HTTPModel
internal import Persistence
internal import Sessions
internal import Synchronization

/// Gives messages to machines, and records what became of them.
extension MessageService {
    package static let pollSeconds = 50.0
    /// A transcript's time for a message may be this number of seconds before the server sent the message, because the
    /// two clocks differ.
    private static let offerToleranceSeconds = 1.0

    /// Returns the next message for the machine's session. Waits until there is one, or the task is cancelled. The
    /// session may have no event yet; that it takes messages is recorded with its first event.
    ///
    /// - Parameters:
    ///   - name: Claude Code's own session id.
    ///   - takesCommands: whether the machine's agent asks, which alone knows commands from text.
    package func nextMessage(
        ofSessionNamed name: String,
        for machine: MachineID,
        hasSocket: Bool,
        takesCommands: Bool = false
    ) async throws(APIError) -> SessionMessage? {
        let (sessionID, hasEnded) = try await database.use { store throws(PersistenceError) in
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
        let expectation = waiters.table.withLock { $0.expect(sessionID, on: machine, hasSocket: hasSocket) }
        defer { waiters.table.withLock { $0.stopExpecting(sessionID, expectation) } }
        while !Task.isCancelled {
            let generation = waiters.table.withLock { $0.generation(of: sessionID) }
            let now = clock()
            if !isNoted {
                isNoted = try await database.use { store throws(PersistenceError) in
                    try await store.notePoster(of: sessionID, on: machine, hasSocket: hasSocket, at: now)
                }
                if isNoted { waiters.table.withLock { $0.stopExpecting(sessionID, expectation) } }
            }
            let offered = try await database.use { store throws(PersistenceError) in
                try await store.offerMessage(
                    to: sessionID,
                    on: machine,
                    now: now,
                    unreadSince: now.adding(seconds: -MessageRules.unreadSeconds),
                    interruptsSince: now.adding(seconds: -MessageRules.interruptSeconds),
                    takesCommands: takesCommands
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
        let now = clock()
        let (settled, known) = try await database.use { store throws(PersistenceError) in
            let settled = try await store.settleMessage(
                id,
                of: machine,
                as: state,
                from: MessageRules.states(before: state),
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
    package func committed(_ batch: CommittedBatch) {
        waiters.began(batch.events.lazy.compactMap(\.event.sessionID))
        let unread = unread.withLock { $0 }
        guard !unread.isEmpty else { return }
        for event in batch.events {
            guard let session = event.event.sessionID else { continue }
            for effect in unread.effects(of: event.event) { Task { [self] in await apply(effect, to: session) } }
        }
    }

    private func apply(_ effect: UnreadSessions.Effect, to session: String) async {
        switch effect {
        case .accepted(let prompt):
            // The prompt is the receipt of the first message with its text. If the content policy keeps no prompts,
            // the prompt may be another one, and does not count.
            await read(in: session, before: nil) { MessageReceipt.isSame(prompt, self.kept($0) ?? $0) }
        case .over(let kind, let reason): await abandon(session, kind, because: reason)
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
        guard unread.withLock({ !$0.isEmpty }) else { return }
        Task { [self] in
            let id = try? await database.use { store throws(PersistenceError) in
                try await store.ownSessionID(of: name, on: machine)
            }
            guard let id, unread.withLock({ $0.mayInclude(id) }) else { return }
            for (text, time) in messages {
                // A message with the same text that was given to the machine later does not match.
                let limit = time.adding(seconds: MessageService.offerToleranceSeconds)
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
        let now = clock()
        let read = try? await database.use { store throws(PersistenceError) -> SessionMessage? in
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
        let now = clock()
        let failed = try? await database.use { store throws(PersistenceError) in
            try await store.abandonMessages(of: sessionID, kind, because: reason, at: now)
        }
        for message in failed ?? [] { await tell(message) }
        if kind == nil { waiters.notify(sessionID) }
    }

    /// Wakes requests whose message arrived through another server, or was held back until now.
    func wakeWaiters() async {
        let before = unread.withLock { $0 }
        let found = try? await database.use { store throws(PersistenceError) in
            try await store.sessionsWithUnreadMessages()
        }
        guard let found else { return }
        unread.withLock { $0.found(found, since: before) }
        let (waiting, expected) = waiters.table.withLock { ($0.sessions, $0.expected) }
        for session in waiting where found.contains(session) { waiters.notify(session) }
        // Their sessions may have begun through another server.
        waiters.began(expected)
    }
}

internal import Audit
internal import EventModel
package import HTTPModel
internal import JSON
internal import Logging
internal import Persistence
internal import Sessions
internal import Synchronization

/// Messages that people send to sessions, and interruptions.
extension InteractionService {
    package static let maximumTextBytes = 32 << 10
    /// The number of messages that may wait for a session, and of interruptions.
    private static let maximumWaiting: Int64 = 50

    /// Queues a message. A repeated `clientID` returns the message that it queued before.
    package func send(
        _ text: String,
        id clientID: String?,
        to sessionID: String,
        by responder: Responder
    ) async throws(APIError) -> SessionMessage {
        guard !text.isEmpty, text.utf8.count <= InteractionService.maximumTextBytes else {
            throw .invalid(
                "invalid_parameter",
                "'text' must be 1 to \(InteractionService.maximumTextBytes) bytes.",
                param: "text"
            )
        }
        let session = try await reachable(sessionID, needsSocket: true, by: responder)
        return try await queue(.message, text, clientID, session, responder)
    }

    /// Asks the session to stop its turn at the next tool.
    package func interrupt(_ sessionID: String, by responder: Responder) async throws(APIError) -> SessionMessage {
        let session = try await reachable(sessionID, needsSocket: false, by: responder)
        return try await queue(.interrupt, nil, nil, session, responder)
    }

    /// Those who may not send messages to the session get the texts as events show them: masked, and cut by the content
    /// policy.
    package func messages(
        of sessionID: String,
        for reader: Responder
    ) async throws(APIError) -> [SessionMessage] {
        let session = try await self.session(sessionID)
        let messages = try await environment.database.use { store throws(PersistenceError) in
            try await store.messages(of: sessionID)
        }
        guard !reader.principal.may(.respond, on: session.machine) else { return messages }
        return messages.map { message in
            var message = message
            message.text = message.text.flatMap(environment.kept)
            return message
        }
    }

    /// Cancels a message that is not in the session yet.
    package func cancel(
        _ id: String,
        of sessionID: String,
        by responder: Responder
    ) async throws(APIError) -> SessionMessage {
        let session = try await self.session(sessionID)
        try responder.require(on: session.machine)
        let now = environment.clock()
        let (cancelled, known) = try await environment.database.use { store throws(PersistenceError) in
            let offeredBefore = now.adding(seconds: -InteractionService.offerSeconds)
            let cancelled = try await store.cancelMessage(id, of: sessionID, offeredBefore: offeredBefore, at: now)
            return (cancelled, cancelled == nil ? try await store.message(id: id) : nil)
        }
        if let cancelled {
            await tell(cancelled, session)
            return cancelled
        }
        guard let known, known.sessionID == sessionID else {
            throw .notFound("message_not_found", "There is no message of that id.")
        }
        guard known.state != .cancelled else { return known }
        throw APIError(
            .conflict,
            status: 409,
            code: "already_delivered",
            message: known.state == .queued
                ? "The machine was given the message just now and may have written it to the session."
                : "The machine has the message already: it is \(known.state.rawValue)."
        )
    }

    private func queue(
        _ kind: SessionMessage.Kind,
        _ text: String?,
        _ clientID: String?,
        _ session: Session,
        _ responder: Responder
    ) async throws(APIError) -> SessionMessage {
        var random = SystemRandomNumberGenerator()
        let now = environment.clock()
        let id = EventID.version7(at: now, using: &random).description
        let message = SessionMessage(
            id: "msg_" + id.filter { $0 != "-" },
            sessionID: session.id,
            machine: session.machine,
            clientID: clientID ?? id,
            kind: kind,
            text: text,
            author: SessionMessage.Author(
                kind: responder.device == nil ? "operator" : "device",
                id: responder.device?.id,
                name: responder.device?.name
            ),
            state: .queued,
            queuedAt: now
        )
        let stored = try await environment.database.use { store throws(PersistenceError) in
            try await store.queue(
                message,
                atMost: InteractionService.maximumWaiting,
                interruptsSince: now.adding(seconds: -InteractionService.interruptSeconds)
            )
        }
        guard let stored else {
            throw .unavailable("queue_full", "Too many messages wait for this session.", retryAfter: 30)
        }
        outstanding.withLock { _ = $0?.insert(session.id) }
        if stored.isNew {
            let isWaitedFor = waiters.sessions.contains(session.id)
            waiters.notify(session.id)
            if !isWaitedFor { await tellOthers(of: .messages) }
            await tell(stored.message, session)
        }
        return stored.message
    }

    /// Returns the session, if its machine accepts messages for it.
    private func reachable(
        _ sessionID: String,
        needsSocket: Bool,
        by responder: Responder
    ) async throws(APIError) -> Session {
        let session = try await self.session(sessionID)
        try responder.require(on: session.machine)
        guard session.endedAt == nil else { throw .notReachable("The session has ended.") }
        // A request that came before the session's first event is recorded a moment after that event.
        let waiting = waiters.hasSocket(sessionID, on: session.machine)
        let noted = try await environment.database.use { store throws(PersistenceError) in
            try await store.posterHasSocket(of: sessionID, on: session.machine)
        }
        guard let hasSocket = noted ?? waiting else {
            throw .notReachable("The session's machine takes no messages: its hooks are older, or not installed.")
        }
        guard hasSocket || !needsSocket else {
            throw .notReachable(
                "The session takes no messages: its machine's rules forbid them, or its Claude Code has no inbox."
            )
        }
        return session
    }

    func session(_ id: String) async throws(APIError) -> Session {
        let found = try await environment.database.use { store throws(PersistenceError) in
            try await store.session(id: id)
        }
        guard let found else { throw .sessionNotFound }
        return found
    }

    /// Adds an event for the message's state.
    func tell(_ message: SessionMessage, _ session: Session? = nil) async {
        var known = session
        if known == nil { known = try? await self.session(message.sessionID) }
        guard let known else { return }
        let text = message.text.flatMap(environment.kept)
        if message.state == .queued || message.state == .cancelled || message.state == .delivered {
            await keepTrail([TrailEntry.sent(message, text: text)])
        }
        let event = MessageEvents.event(of: message, in: known, text: text, at: environment.clock())
        _ = await environment.submit(event)
    }
}

extension APIError {
    fileprivate static func notReachable(_ message: String) -> APIError {
        APIError(.conflict, status: 409, code: "not_reachable", message: message)
    }
}

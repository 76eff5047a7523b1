package import API
package import EventModel
package import HTTPModel
internal import Persistence
internal import Sessions

/// The end of a turn, and messages that are taken back.
extension MessageService {
    /// Seconds until the next look at what became of a message.
    private static let lookSeconds = 0.1
    /// Seconds for a machine's agent to say which messages it has taken back.
    private static let applySeconds = 5.0

    /// An interruption, and the ids of the messages that were taken back with it.
    package typealias Interruption = (message: SessionMessage, cancelled: [String])

    /// Asks the session to stop its turn at the next tool.
    package func interrupt(_ sessionID: String, by responder: Responder) async throws(APIError) -> SessionMessage {
        let session = try await reachable(sessionID, needsSocket: false, by: responder)
        return try await queue(SessionMessage(.interrupt, nil, nil, to: session, by: responder, at: clock()), session)
    }

    /// Stops the turn, and takes back the messages that wait for its end. If an agent runs the session, it is waited
    /// for: some of them may be with Claude Code already.
    package func interruptAndCancel(
        _ sessionID: String,
        by responder: Responder,
        needs capability: Capability = .respond
    ) async throws(APIError) -> Interruption {
        let session = try await reachable(sessionID, needsSocket: false, by: responder, needs: capability)
        let now = clock()
        let cancelled = try await database.use { store throws(PersistenceError) in
            let offeredBefore = now.adding(seconds: -MessageRules.offerSeconds)
            return try await store.cancelQueuedMessages(of: sessionID, offeredBefore: offeredBefore, at: now)
        }
        for message in cancelled { await tell(message, session) }
        var interruption = SessionMessage(.interrupt, nil, nil, to: session, by: responder, at: now)
        interruption.cancelsQueued = true
        interruption = try await queue(interruption, session)
        if session.runner == .agent {
            interruption = try await outcome(of: interruption, within: MessageService.applySeconds)
        }
        let ids = try await database.use { store throws(PersistenceError) in
            try await store.messagesCancelled(of: sessionID, since: now)
        }
        return (interruption, ids)
    }

    /// The message once it is no longer queued, or as it is after some seconds.
    package func outcome(
        of message: SessionMessage,
        within seconds: Double
    ) async throws(APIError) -> SessionMessage {
        let deadline = steadyClock().adding(seconds: seconds)
        var latest = message
        while latest.state == .queued, steadyClock() < deadline, !Task.isCancelled {
            try? await Task.sleep(for: .seconds(MessageService.lookSeconds))
            guard let found = try await self.message(id: message.id) else { return latest }
            latest = found
        }
        return latest
    }

    /// Cancels a message that is not in the session yet, or that the session's agent takes back.
    package func cancel(
        _ id: String,
        of sessionID: String,
        by responder: Responder
    ) async throws(APIError) -> SessionMessage {
        let session = try await self.session(sessionID)
        try responder.require(on: session.machine)
        let now = clock()
        let (cancelled, known) = try await database.use { store throws(PersistenceError) in
            let offeredBefore = now.adding(seconds: -MessageRules.offerSeconds)
            let cancelled = try await store.cancelMessage(id, of: sessionID, offeredBefore: offeredBefore, at: now)
            return (cancelled, cancelled == nil ? try await store.message(id: id) : nil)
        }
        if let cancelled {
            await tell(cancelled, session)
            return cancelled
        }
        if let known, known.sessionID == sessionID, MessageRules.mayBeTakenBack(known),
            try await takeBack(known.clientID, session, responder)
        {
            try await receipt(id, .cancelled, detail: nil, from: session.machine)
            if let latest = try await message(id: id), latest.state == .cancelled { return latest }
        }
        return try MessageRules.uncancelled(known, of: sessionID)
    }

    /// Whether the message was cancelled, or could not be delivered.
    package func isDropped(_ clientID: String, of sessionID: String) async -> Bool {
        let found = try? await database.use { store throws(PersistenceError) in
            try await store.message(clientID: clientID, of: sessionID)
        }
        guard let message = found ?? nil else { return false }
        return message.state == .cancelled || message.state == .failed
    }

    /// Records that a session no longer has a message.
    ///
    /// - Parameter clientID: the id that the client gave it, by which Claude Code knows it.
    package func takenBack(
        _ clientID: String,
        of sessionID: String,
        from machine: MachineID
    ) async throws(APIError) {
        let message = try await database.use { store throws(PersistenceError) in
            try await store.message(clientID: clientID, of: sessionID)
        }
        guard let message, message.machine == machine else { return }
        try await receipt(message.id, .cancelled, detail: nil, from: machine)
    }
}

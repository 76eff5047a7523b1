package import API
internal import Audit
package import EventModel
package import HTTPModel
package import Logging
package import Persistence
package import Sessions
internal import Synchronization
internal import Workers

/// Takes messages that people send to sessions, and gives them to machines. May be used on any thread.
package final class MessageService: CommitObserver, ProjectionObserver {
    /// The word by which servers tell each other of new messages.
    static let change = "messages"
    /// Servers also look for messages themselves, in case a notification from another server was lost.
    private static let sweepSeconds = 5.0
    private static let trimSeconds = 60.0

    package typealias TakeBack =
        @Sendable (_ clientID: String, Session, Responder) async throws(APIError) -> Bool

    let database: any StoreAccess
    /// Commits events, or spools them.
    private let submit: @Sendable ([MonitorEvent]) async -> Void
    /// Takes back a message that a session has and has not begun. False if nobody connected here can.
    let takeBack: TakeBack
    /// The part of a text that the content policy keeps; `nil` if it keeps nothing.
    let kept: @Sendable (String) -> String?
    let clock: @Sendable () -> Timestamp
    let steadyClock: @Sendable () -> Timestamp
    private let trail: AnswerTrail
    let waiters = MessageWaiters()
    let unread = Mutex(UnreadSessions())
    private let signal = AsyncSignal()
    private let isTold = Mutex(false)

    /// - Parameter steadyClock: does not jump with the wall clock.
    package init(
        database: any StoreAccess,
        submit: @escaping @Sendable ([MonitorEvent]) async -> Void,
        kept: @escaping @Sendable (String) -> String?,
        takeBack: @escaping TakeBack,
        clock: @escaping @Sendable () -> Timestamp,
        steadyClock: @escaping @Sendable () -> Timestamp,
        logger: Logger
    ) {
        (self.database, self.submit, self.kept, self.takeBack) = (database, submit, kept, takeBack)
        (self.clock, self.steadyClock, trail) = (clock, steadyClock, AnswerTrail(database, logger: logger))
    }

    /// Handles a change that another server, or this one, has reported. Any thread; does not block.
    package func changedElsewhere(_ what: String) {
        guard what == MessageService.change else { return }
        isTold.withLock { $0 = true }
        signal.notify()
    }

    /// Returns when the task is cancelled.
    package func run() async {
        var sweepAt = steadyClock()
        var trimAt = sweepAt
        while !Task.isCancelled {
            await signal.wait(atMost: max(0.1, sweepAt.seconds(since: steadyClock())))
            let now = steadyClock()
            let isSweep = now >= sweepAt
            if isSweep { sweepAt = now.adding(seconds: MessageService.sweepSeconds) }
            let wasTold = isTold.withLock { isTold in
                defer { isTold = false }
                return isTold
            }
            if wasTold || isSweep { await wakeWaiters() }
            if now >= trimAt {
                await trim()
                trimAt = now.adding(seconds: MessageService.trimSeconds)
            }
        }
    }

    private func trim() async {
        let now = clock()
        try? await database.use { store throws(PersistenceError) in
            try await store.trimMessages(
                queued: now.adding(seconds: -90 * 86_400),
                ended: now.adding(seconds: -86_400),
                posters: now.adding(seconds: -7 * 86_400)
            )
        }
    }

    /// Queues a message. A repeated `clientID` returns the message that it queued before.
    ///
    /// - Parameter isCommand: the text is a slash command, which needs `control`. Otherwise a leading slash is text.
    package func send(
        _ text: String,
        id clientID: String?,
        isCommand: Bool = false,
        images: [MessageImage] = [],
        to sessionID: String,
        by responder: Responder
    ) async throws(APIError) -> SessionMessage {
        try MessageRules.check(text)
        let session = try await reachable(sessionID, needsSocket: true, by: responder)
        if isCommand { try MessageRules.checkCommand(text, to: session, by: responder.principal) }
        if !images.isEmpty { try MessageRules.checkImages(to: session) }
        var message = SessionMessage(.message, text, clientID, to: session, by: responder, at: clock())
        message.isCommand = isCommand
        return try await queue(message, session, images: images)
    }

    /// Queues the first message of a session that has just been started. Whether the session takes messages is known
    /// only later.
    package func sendFirst(
        _ text: String,
        id clientID: String?,
        images: [MessageImage],
        to session: Session,
        by responder: Responder
    ) async throws(APIError) {
        try MessageRules.check(text)
        let message = SessionMessage(.message, text, clientID, to: session, by: responder, at: clock())
        _ = try await queue(message, session, images: images)
    }

    /// The pictures of a message that the machine does not have yet.
    package func images(of message: SessionMessage) async throws(APIError) -> [MessageImage] {
        guard message.imageCount > 0 else { return [] }
        return try await database.use { store throws(PersistenceError) in try await store.images(of: message.id) }
    }

    package func message(id: String) async throws(APIError) -> SessionMessage? {
        try await database.use { store throws(PersistenceError) in try await store.message(id: id) }
    }

    /// Those who may not send messages to the session get the texts as events show them: masked, and cut by the content
    /// policy.
    package func messages(
        of sessionID: String,
        for reader: Responder
    ) async throws(APIError) -> [SessionMessage] {
        let session = try await self.session(sessionID)
        let messages = try await database.use { store throws(PersistenceError) in
            try await store.messages(of: sessionID)
        }
        guard !reader.principal.may(.respond, on: session.machine) else { return messages }
        return messages.map { message in
            var message = message
            message.text = message.text.flatMap(kept)
            return message
        }
    }

    func queue(
        _ message: SessionMessage,
        _ session: Session,
        images: [MessageImage] = []
    ) async throws(APIError) -> SessionMessage {
        let stored = try await database.use { store throws(PersistenceError) in
            try await store.queue(
                message,
                images,
                atMost: MessageRules.maximumWaiting,
                interruptsSince: message.queuedAt.adding(seconds: -MessageRules.interruptSeconds)
            )
        }
        guard let stored else {
            throw .unavailable("queue_full", "Too many messages wait for this session.", retryAfter: 30)
        }
        unread.withLock { $0.queued(to: session.id) }
        if stored.isNew {
            let isWaitedFor = waiters.table.withLock { $0.sessions.contains(session.id) }
            waiters.notify(session.id)
            if !isWaitedFor {
                try? await database.use { store throws(PersistenceError) in
                    try await store.tellOthers(of: MessageService.change)
                }
            }
            await tell(stored.message, session)
        }
        return stored.message
    }

    /// Returns the session, if its machine accepts messages for it.
    func reachable(
        _ sessionID: String,
        needsSocket: Bool,
        by responder: Responder,
        needs capability: Capability = .respond
    ) async throws(APIError) -> Session {
        let session = try await self.session(sessionID)
        try responder.require(capability, on: session.machine)
        // A request that came before the session's first event is recorded a moment after that event.
        let waiting = waiters.table.withLock { $0.hasSocket(sessionID, on: session.machine) }
        let noted = try await database.use { store throws(PersistenceError) in
            try await store.posterHasSocket(of: sessionID, on: session.machine)
        }
        // A session that an agent has just started takes messages before anything asks for them.
        let hasSocket = noted ?? waiting ?? (session.runner == .agent ? true : nil)
        let hasEnded = session.endedAt != nil
        try MessageRules.checkReach(hasEnded: hasEnded, hasSocket: hasSocket, needsSocket: needsSocket)
        return session
    }

    package func session(_ id: String) async throws(APIError) -> Session {
        let found = try await database.use { store throws(PersistenceError) in
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
        let text = message.text.flatMap(kept)
        if MessageRules.isRecorded(message.state) {
            await trail.keep([TrailEntry.sent(message, text: text)])
        }
        await submit(MessageEvents.event(of: message, in: known, text: text, at: clock()))
    }
}

extension SessionMessage {
    init(
        _ kind: Kind,
        _ text: String?,
        _ clientID: String?,
        to session: Session,
        by responder: Responder,
        at now: Timestamp
    ) {
        var random = SystemRandomNumberGenerator()
        let id = EventID.version7(at: now, using: &random).description
        self.init(
            id: "msg_" + id.filter { $0 != "-" },
            sessionID: session.id,
            machine: session.machine,
            clientID: clientID ?? id,
            kind: kind,
            text: text,
            author: responder.actor,
            state: .queued,
            queuedAt: now
        )
    }
}

internal import API
internal import EventModel
internal import JSON
internal import Persistence

/// Messages to sessions. The changes are durable when these functions return.
extension PostgresStore {
    /// Returns the message that the client sent under this id before, if there is one, and `nil` if too many wait.
    ///
    /// - Parameter interruptsSince: interruptions queued earlier no longer wait.
    func queue(
        _ message: SessionMessage,
        _ images: [MessageImage],
        atMost limit: Int64,
        interruptsSince: Timestamp
    ) async throws(PersistenceError) -> (message: SessionMessage, isNew: Bool)? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: message.id,
                message.sessionID,
                message.machine,
                message.clientID,
                message.kind,
                message.text,
                TextBytes(bytes: Actor.shape.json(message.author)),
                message.queuedAt,
                interruptsSince,
                limit,
                message.isCommand,
                message.cancelsQueued,
                Int64(images.count),
                MessageRules.maximumWaitingImages
            )
            let imageCalls = images.enumerated().map { number, image in
                (MessageStatements.addImage, Parameters(of: message.id, Int64(number), image.mediaType, image.data))
            }
            let results = try connection.pipeline(
                [(MessageStatements.lockQueue, Parameters(of: message.sessionID)), (MessageStatements.add, parameters)]
                    + imageCalls
            )
            if let row = results[1].firstRow {
                return (try SessionMessage(row), true)
            }
            let known = Parameters(of: message.sessionID, message.clientID)
            guard let row = try connection.query(MessageStatements.byClientID, known).firstRow else { return nil }
            return (try SessionMessage(row), false)
        }
    }

    func images(of messageID: String) async throws(PersistenceError) -> [MessageImage] {
        try await run { connection throws(PersistenceError) in
            try connection.query(MessageStatements.images, Parameters(of: messageID)).map(MessageImage.init)
        }
    }

    /// The message to the session to which its sender gave this id.
    func message(clientID: String, of sessionID: String) async throws(PersistenceError) -> SessionMessage? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: sessionID, clientID)
            return try connection.query(MessageStatements.byClientID, parameters).firstRow.map(SessionMessage.init)
        }
    }

    /// The newest 200 messages, in order.
    func messages(of sessionID: String) async throws(PersistenceError) -> [SessionMessage] {
        try await run { connection throws(PersistenceError) in
            try connection.query(MessageStatements.list, Parameters(of: sessionID)).map(SessionMessage.init)
        }
    }

    func message(id: String) async throws(PersistenceError) -> SessionMessage? {
        try await run { connection throws(PersistenceError) in
            try connection.query(MessageStatements.byID, Parameters(of: id)).firstRow.map(SessionMessage.init)
        }
    }

    /// The next message for the machine. The same message is returned until the machine reports its delivery.
    func offerMessage(
        to sessionID: String,
        on machine: MachineID,
        now: Timestamp,
        unreadSince: Timestamp,
        interruptsSince: Timestamp,
        takesCommands: Bool
    ) async throws(PersistenceError) -> SessionMessage? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: sessionID, machine, now, unreadSince, interruptsSince, takesCommands)
            return try connection.query(MessageStatements.offer, parameters).firstRow.map(SessionMessage.init)
        }
    }

    /// Returns `nil` if the message does not belong to the machine or is in none of the states `from`.
    func settleMessage(
        _ id: String,
        of machine: MachineID,
        as state: SessionMessage.State,
        from: [SessionMessage.State],
        detail: String? = nil,
        at time: Timestamp
    ) async throws(PersistenceError) -> SessionMessage? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: id, machine, state, from, time, detail)
            return try connection.query(MessageStatements.settle, parameters).firstRow.map(SessionMessage.init)
        }
    }

    func cancelMessage(
        _ id: String,
        of sessionID: String,
        offeredBefore: Timestamp,
        at time: Timestamp
    ) async throws(PersistenceError) -> SessionMessage? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: id, sessionID, offeredBefore, time)
            return try connection.query(MessageStatements.cancel, parameters).firstRow.map(SessionMessage.init)
        }
    }

    /// Cancels all messages that `cancelMessage` would cancel.
    func cancelQueuedMessages(
        of sessionID: String,
        offeredBefore: Timestamp,
        at time: Timestamp
    ) async throws(PersistenceError) -> [SessionMessage] {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: sessionID, offeredBefore, time)
            return try connection.query(MessageStatements.cancelQueued, parameters).map(SessionMessage.init)
        }
    }

    /// The ids of the messages that were cancelled since then, in their order.
    func messagesCancelled(of sessionID: String, since time: Timestamp) async throws(PersistenceError) -> [String] {
        try await run { connection throws(PersistenceError) in
            try connection.query(MessageStatements.cancelledSince, Parameters(of: sessionID, time)).values()
        }
    }

    /// The messages, in order, that the machine has and that the session is not known to have read.
    func unreadMessages(
        of sessionID: String,
        offeredBefore limit: Timestamp
    ) async throws(PersistenceError) -> [SessionMessage] {
        try await run { connection throws(PersistenceError) in
            try connection.query(MessageStatements.unread, Parameters(of: sessionID, limit)).map(SessionMessage.init)
        }
    }

    func sessionsWithUnreadMessages() async throws(PersistenceError) -> Set<String> {
        try await run { connection throws(PersistenceError) in
            Set(try connection.query(MessageStatements.sessionsWithUnread).values())
        }
    }

    /// Marks the messages that the session will never get as failed, and returns them.
    /// - Parameter kind: `nil` means all kinds.
    func abandonMessages(
        of sessionID: String,
        _ kind: SessionMessage.Kind?,
        because detail: String,
        at time: Timestamp
    ) async throws(PersistenceError) -> [SessionMessage] {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: sessionID, time, detail, kind)
            return try connection.query(MessageStatements.abandon, parameters).map(SessionMessage.init)
        }
    }

    /// The sessions of a machine whose posters are remembered: those that asked last.
    static let maximumPosters: Int64 = 1000

    /// Records that the machine takes messages for its session. Returns false if it has no session of that id.
    func notePoster(
        of sessionID: String,
        on machine: MachineID,
        hasSocket: Bool,
        at time: Timestamp
    ) async throws(PersistenceError) -> Bool {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: sessionID, machine, hasSocket, time)
            let isNew: Bool? = try connection.query(MessageStatements.poster, parameters).firstValue()
            if isNew == true {
                let limit = Parameters(of: machine, PostgresStore.maximumPosters)
                _ = try connection.query(MessageStatements.trimPostersOfMachine, limit)
            }
            return isNew != nil
        }
    }

    /// Whether the session's Claude Code takes messages. Returns `nil` if the machine never asked for any.
    func posterHasSocket(of sessionID: String, on machine: MachineID) async throws(PersistenceError) -> Bool? {
        try await run { connection throws(PersistenceError) in
            try connection.query(MessageStatements.posterOf, Parameters(of: sessionID, machine)).firstValue()
        }
    }

    func trimMessages(
        queued: Timestamp,
        ended: Timestamp,
        posters: Timestamp
    ) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(MessageStatements.trimPosters, Parameters(of: posters))
            _ = try connection.query(MessageStatements.trim, Parameters(of: queued))
            _ = try connection.query(MessageStatements.trimImages)
            _ = try connection.query(MessageStatements.trimBodies, Parameters(of: ended))
        }
    }
}

extension SessionMessage.Kind: PGEncodable, PGColumn {}
extension SessionMessage.State: PGEncodable, PGColumn {}

extension SessionMessage {
    fileprivate init(_ row: PQRow) throws(PersistenceError) {
        let (id, session, machine, clientID): (String, String, MachineID, String) = try row.values()
        let (kind, text, authorJSON, state): (Kind, String?, [UInt8], State) = try row.values(from: 4)
        let (detail, queued, delivered, ended): (String?, Timestamp, Timestamp?, Timestamp?) = try row.values(from: 8)
        let (isCommand, cancelsQueued, imageCount): (Bool, Bool, Int64) = try row.values(from: 12)
        guard let author = try? JSONValue.parse(authorJSON) else {
            throw PersistenceError(.malformedReply, "a message cannot be read")
        }
        self.init(
            id: id,
            sessionID: session,
            machine: machine,
            clientID: clientID,
            kind: kind,
            text: text,
            isCommand: isCommand,
            imageCount: imageCount,
            cancelsQueued: cancelsQueued,
            author: Actor(
                kind: author["kind"]?.string ?? "",
                id: author["id"]?.string,
                name: author["name"]?.string
            ),
            state: state,
            detail: detail,
            queuedAt: queued,
            deliveredAt: delivered,
            endedAt: ended
        )
    }
}

extension MessageImage {
    fileprivate init(_ row: PQRow) throws(PersistenceError) {
        let (mediaType, data): (String, String) = try row.values()
        self.init(mediaType: mediaType, data: data)
    }
}

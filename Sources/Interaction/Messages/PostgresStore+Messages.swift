internal import EventModel
internal import JSON
internal import Persistence

/// Messages to sessions. The changes are durable when these functions return.
extension PostgresStore {
    /// Returns the message that the client sent under this id before, if there is one.
    func queue(_ message: SessionMessage) async throws(PersistenceError) -> (message: SessionMessage, isNew: Bool) {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: message.id,
                message.sessionID,
                message.machine.rawValue,
                message.clientID,
                message.kind.rawValue,
                message.text,
                TextBytes(bytes: SessionMessage.Author.shape.json(message.author)),
                message.queuedAt
            )
            if let row = try connection.query(MessageStatements.add, parameters).firstRow {
                return (try SessionMessage(row), true)
            }
            let known = Parameters(of: message.sessionID, message.clientID)
            guard let row = try connection.query(MessageStatements.byClientID, known).firstRow else {
                throw PersistenceError(.malformedReply, "a message cannot be found")
            }
            return (try SessionMessage(row), false)
        }
    }

    func waitingMessages(of sessionID: String) async throws(PersistenceError) -> Int64 {
        try await run { connection throws(PersistenceError) in
            try connection.query(MessageStatements.waitingCount, Parameters(of: sessionID)).firstRow?.int64(0) ?? 0
        }
    }

    /// In order, the newest 200.
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

    /// The next message for the machine, until it says that it has delivered it.
    func offerMessage(
        to sessionID: String,
        on machine: MachineID,
        now: Timestamp,
        unreadSince: Timestamp,
        interruptsSince: Timestamp
    ) async throws(PersistenceError) -> SessionMessage? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: sessionID, machine.rawValue, now, unreadSince, interruptsSince)
            return try connection.query(MessageStatements.offer, parameters).firstRow.map(SessionMessage.init)
        }
    }

    /// Returns `nil` if the message is not the machine's or has none of the states `from`.
    func settleMessage(
        _ id: String,
        of machine: MachineID,
        as state: SessionMessage.State,
        from: [SessionMessage.State],
        detail: String? = nil,
        at time: Timestamp
    ) async throws(PersistenceError) -> SessionMessage? {
        try await run { connection throws(PersistenceError) in
            var parameters = Parameters(of: id, machine.rawValue, state.rawValue)
            parameters.add(array: from.map(\.rawValue))
            parameters.add(time)
            parameters.add(detail)
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

    /// Messages that the machine has and the session has not shown to have read, in order.
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
            let rows = try connection.query(MessageStatements.sessionsWithUnread)
            return Set(try rows.map { row throws(PersistenceError) in try row.text(0) })
        }
    }

    /// The messages that the session will never get, and now have failed.
    /// - Parameter kind: `nil` means all kinds.
    func abandonMessages(
        of sessionID: String,
        _ kind: SessionMessage.Kind?,
        because detail: String,
        at time: Timestamp
    ) async throws(PersistenceError) -> [SessionMessage] {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: sessionID, time, detail, kind?.rawValue)
            return try connection.query(MessageStatements.abandon, parameters).map(SessionMessage.init)
        }
    }

    func notePoster(
        of sessionID: String,
        on machine: MachineID,
        hasSocket: Bool,
        at time: Timestamp
    ) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: sessionID, machine.rawValue, hasSocket, time)
            _ = try connection.query(MessageStatements.poster, parameters)
        }
    }

    /// Returns `nil` if no machine ever asked for messages of the session.
    func poster(of sessionID: String) async throws(PersistenceError) -> (machine: MachineID, hasSocket: Bool)? {
        try await run { connection throws(PersistenceError) in
            guard let row = try connection.query(MessageStatements.posterOf, Parameters(of: sessionID)).firstRow
            else { return nil }
            return (MachineID(rawValue: try row.int64(0)), try row.bool(1))
        }
    }

    func trimMessages(queued: Timestamp, ended: Timestamp) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(MessageStatements.trim, Parameters(of: queued))
            _ = try connection.query(MessageStatements.trimBodies, Parameters(of: ended))
        }
    }
}

extension SessionMessage {
    fileprivate init(_ row: PQRow) throws(PersistenceError) {
        guard let kind = Kind(rawValue: try row.text(4)), let state = State(rawValue: try row.text(7)),
            let author = try? JSONValue.parse(try row.bytes(6))
        else { throw PersistenceError(.malformedReply, "a message cannot be read") }
        self.init(
            id: try row.text(0),
            sessionID: try row.text(1),
            machine: MachineID(rawValue: try row.int64(2)),
            clientID: try row.text(3),
            kind: kind,
            text: row.optionalText(5),
            author: Author(
                kind: author["kind"]?.string ?? "",
                id: author["id"]?.string,
                name: author["name"]?.string
            ),
            state: state,
            detail: row.optionalText(8),
            queuedAt: try row.timestamp(9),
            deliveredAt: try row.optionalTimestamp(10),
            endedAt: try row.optionalTimestamp(11)
        )
    }
}

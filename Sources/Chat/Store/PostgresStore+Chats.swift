internal import EventModel
internal import HTTPModel
internal import Persistence

/// A turn that was begun.
struct ChatTurnRow: Sendable {
    var id: String
    /// SHA-256 of the request's body.
    var digest: [UInt8]
    var beganAt: Timestamp
    var hasEnded: Bool
    var outcome: String?
    var model: String?
    var promptTokens: Int64?
    var completionTokens: Int64?
    var cost: Double?
    var answer: String?
    /// Set for project chats only.
    var sessionID: String?
    var projectID: String?
    /// Set for plain chats only.
    var chatID: String?
}

/// What is known of a turn before it is asked for.
struct NewChatTurn: Sendable {
    var id: String
    var caller: String
    var digest: [UInt8]
    var idempotencyKey: String?
    var machine: MachineID
    var model: String?
    var at: Timestamp
    /// Set for project chats only.
    var sessionID: String?
    var projectID: String?
    /// Set for plain chats only.
    var chat: PlainChatBeginning?
    /// What the request alone costs. It stays if the end of the turn is never known.
    var estimate: ChatUsage
}

extension PostgresStore {
    /// Durable when this returns. Returns false if the caller has used the idempotency key.
    func begin(_ turn: NewChatTurn) async throws(PersistenceError) -> Bool {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: turn.id,
                turn.caller,
                RawBytes(bytes: turn.digest),
                turn.idempotencyKey,
                turn.machine,
                turn.model,
                turn.at,
                turn.sessionID,
                turn.projectID,
                turn.estimate.promptTokens,
                turn.estimate.cost,
                turn.estimate.isUnpriced ? Int64(1) : 0,
                turn.chat?.id,
                turn.chat?.title,
                turn.chat?.messageCount ?? 0,
                turn.chat?.lines ?? []
            )
            return try connection.query(ChatStatements.begin, parameters).firstRow != nil
        }
    }

    /// Stores what is known of a turn that runs, and that it runs.
    func note(chat id: String, _ usage: ChatUsage, at time: Timestamp) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: id, usage.tokens.output, usage.cost, time)
            _ = try connection.query(ChatStatements.note, parameters)
        }
    }

    func end(chat id: String, _ end: ChatTurnEnd) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: id,
                end.at,
                end.word,
                end.usage?.promptTokens,
                end.usage?.tokens.output,
                end.usage?.cost,
                end.answer,
                end.usage?.tokens.cacheRead ?? 0,
                end.usage?.tokens.cacheWrite5m ?? 0,
                end.usage?.tokens.cacheWrite1h ?? 0,
                end.usage?.model,
                end.usage?.isEstimate == true ? Int64(1) : 0,
                end.usage?.isUnpriced == true ? Int64(1) : 0,
                end.chat.clientID,
                end.storedAt,
                end.chat.history.map(RawBytes.init(bytes:)),
                end.chat.line
            )
            _ = try connection.query(ChatStatements.end, parameters)
        }
    }

    func chatTurn(of caller: String, idempotencyKey: String) async throws(PersistenceError) -> ChatTurnRow? {
        try await run { connection throws(PersistenceError) in
            try connection.query(ChatStatements.byKey, Parameters(of: caller, idempotencyKey)).firstValue()
        }
    }

    /// The latest turn for the same body since a time.
    func chatTurn(
        of caller: String,
        digest: [UInt8],
        since: Timestamp
    ) async throws(PersistenceError) -> ChatTurnRow? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: caller, RawBytes(bytes: digest), since)
            return try connection.query(ChatStatements.latest, parameters).firstValue()
        }
    }

    /// US dollars of the caller's turns since a time.
    func spentOnChats(by caller: String, since: Timestamp) async throws(PersistenceError) -> Double {
        try await run { connection throws(PersistenceError) in
            try connection.query(ChatStatements.spent, Parameters(of: caller, since)).firstValue() ?? 0
        }
    }
}

/// The columns of `ChatStatements.columns`.
extension ChatTurnRow: PGColumn {
    static var columnCount: Int { 13 }

    init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        self = try row.make(from: column, ChatTurnRow.init)
    }
}

package import EventModel
package import Persistence
package import Sessions

extension PostgresStore {
    package func plainChat(id: String, now: Timestamp) async throws(PersistenceError) -> PlainChat? {
        try await run { connection throws(PersistenceError) in
            let found = try connection.query(PlainChatStatements.find, Parameters(of: now, id)).firstRow
            return try found.map { row throws(PersistenceError) in try PlainChat(row) }
        }
    }

    /// The latest chat of the caller with these messages.
    func plainChat(of caller: String, history: [UInt8]) async throws(PersistenceError) -> String? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: caller, RawBytes(bytes: history))
            return try connection.query(PlainChatStatements.byHistory, parameters).firstValue()
        }
    }

    /// Plain chats as sessions. They have no project, and none is archived or has ended.
    package func plainChats(_ query: SessionQuery) async throws(PersistenceError) -> SessionPage {
        guard query.workspaceID == nil, query.isArchived != true, query.status != .ended else {
            return SessionPage(sessions: [], next: nil, total: 0)
        }
        let (limit, filters) = (min(max(query.limit, 1), 200), PlainChatFilter(query))
        return try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: query.now,
                filters.machine,
                filters.reported,
                query.status?.rawValue,
                query.state?.rawValue,
                query.words,
                query.cursor?.key,
                query.cursor?.id,
                Int64(limit) + 1,
                Int64(max(0, query.offset ?? 0))
            )
            let rows = Array(try connection.query(PlainChatStatements.page(query), parameters).rows)
            let sessions = try rows.prefix(limit).map { row throws(PersistenceError) in try PlainChat(row).session }
            let next = try rows.count > limit ? rows[limit - 1].value(PlainChat.columnCount) as Int64 : nil
            let counted = Parameters(
                of: query.now,
                filters.machine,
                filters.reported,
                query.status?.rawValue,
                query.state?.rawValue,
                query.words
            )
            return SessionPage(
                sessions: sessions,
                next: next.flatMap { key in sessions.last.map { ListCursor(key: key, id: $0.id) } },
                total: try connection.query(PlainChatStatements.count, counted).firstValue() ?? 0
            )
        }
    }
}

private struct PlainChatFilter {
    var machine: MachineID?
    var reported: String?

    init(_ query: SessionQuery) {
        switch query.machine {
        case .machine(let id)?: machine = id
        case .reported(let name)?: reported = name
        case nil: break
        }
    }
}

extension PlainChat {
    /// Columns of a row.
    fileprivate static let columnCount = 20

    /// - Parameter row: the columns of `PlainChatStatements.columns`.
    fileprivate init(_ row: PQRow) throws(PersistenceError) {
        var session = try row.make(Session.init(chat:on:named:isRunning:startedAt:lastActivityAt:))
        (session.reportedMachineName, session.title) = try row.values(from: 6)
        (session.currentModel, session.messageCount) = try row.values(from: 8)
        session.titleSource = session.title == nil ? nil : .prompt
        let (tokens, cost, isEstimate): (TokenUsage, Double?, Bool) = try row.values(from: 10)
        let (model, requests, unpriced): (String, Int64, Double) = try row.values(from: 16)
        session.set(
            SessionUsage(
                tokens: tokens,
                cost: cost,
                source: cost == nil ? .none : .agent,
                confidence: isEstimate ? .estimated : .exact
            )
        )
        if requests > 0 { session.unpriced = UnpricedUsage(model: model, requests: requests, cost: unpriced) }
        self.init(session: session, caller: try row.value(19))
    }
}

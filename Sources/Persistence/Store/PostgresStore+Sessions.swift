package import EventModel
package import Sessions

extension PostgresStore {
    package func sessions(_ query: SessionQuery) async throws(PersistenceError) -> SessionPage {
        try await runProjected { connection throws(PersistenceError) in
            let (statement, parameters) = SessionSelection.page(query)
            let rows = Array(try connection.query(statement, parameters).rows)
            let shown = rows.prefix(SessionSelection.limit(query))
            let next = rows.count > shown.count ? try shown.last.map(SessionSelection.cursor) : nil
            let (counting, counted) = SessionSelection.count(query)
            return SessionPage(
                sessions: try shown.map(SessionSelection.session).compactMap { $0 },
                next: next,
                total: try connection.query(counting, counted).firstValue() ?? 0
            )
        }
    }

    package func session(id: String) async throws(PersistenceError) -> Session? {
        try await runProjected { connection throws(PersistenceError) in
            guard let row = try connection.query(LogStatements.session, Parameters(of: id)).firstRow else { return nil }
            return try SessionSelection.session(row)
        }
    }

    /// The sessions that exist, by one query and in no order.
    package func sessions(ids: Set<String>) async throws(PersistenceError) -> [Session] {
        try await runProjected { connection throws(PersistenceError) in
            let result = try connection.query(LogStatements.sessions, Parameters(of: ids))
            return try result.map { row throws(PersistenceError) in try SessionSelection.session(row) }.compactMap {
                $0
            }
        }
    }

    /// The sessions of the events after one position and up to another, without repetitions.
    package func sessionIDs(after: Int64, through: Int64) async throws(PersistenceError) -> [String] {
        try await run { connection throws(PersistenceError) in
            try connection.query(LogStatements.sessionIDs, Parameters(of: after, through)).values()
        }
    }

    package func statistics(now: Timestamp) async throws(PersistenceError) -> SessionStatistics {
        try await runProjected { connection throws(PersistenceError) in
            let parameters = Parameters(of: now.adding(seconds: -Session.quietSeconds))
            guard let row = try connection.query(LogStatements.statistics, parameters).firstRow else {
                throw PersistenceError(.malformedReply, "an aggregate has no row")
            }
            var statistics = SessionStatistics()
            (
                statistics.activeSessions, statistics.idleSessions, statistics.endedSessions,
                statistics.waitingSessions, statistics.totalMessages, statistics.totalToolCalls, statistics.tokens,
                statistics.totalCost
            ) = try row.values()
            statistics.modelsInUse = try connection.query(LogStatements.models).values()
            return statistics
        }
    }

    /// Leaves `idle` at 0. Cheap enough to be called every second.
    package func openSessions(now: Timestamp) async throws(PersistenceError) -> OpenSessions {
        try await pool.run { connection throws(PersistenceError) in
            let parameters = Parameters(of: now.adding(seconds: -Session.quietSeconds))
            guard let row = try connection.query(LogStatements.openSessions, parameters).firstRow else {
                throw PersistenceError(.malformedReply, "a count has no row")
            }
            var sessions = OpenSessions()
            (sessions.active, sessions.waiting, sessions.running) = try row.values()
            return sessions
        }
    }

    /// Reads the whole table. Call it rarely.
    package func idleSessions(now: Timestamp) async throws(PersistenceError) -> Int64 {
        try await pool.run { connection throws(PersistenceError) in
            let parameters = Parameters(of: now.adding(seconds: -Session.quietSeconds))
            return try connection.query(LogStatements.idleSessions, parameters).firstValue() ?? 0
        }
    }

    /// Looks the machine up by its name or its number, never by the name that it reports. Returns `nil` if none
    /// matches.
    package func machine(named name: String) async throws(PersistenceError) -> MachineID? {
        try await pool.run { connection throws(PersistenceError) in
            return try connection.query(LogStatements.machine, Parameters(of: name)).firstValue()
        }
    }

    /// Sorted by name.
    package func machines() async throws(PersistenceError) -> [MachineRecord] {
        try await runProjected { connection throws(PersistenceError) in
            try connection.query(LogStatements.machines).map { row throws(PersistenceError) in
                try row.make(MachineRecord.init)
            }
        }
    }
}

/// Four columns.
extension TokenUsage: PGColumn {
    package static var columnCount: Int { 4 }

    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        self = try row.make(from: column, TokenUsage.init(input:output:cacheRead:cacheCreation:))
    }
}

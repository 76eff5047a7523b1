public import EventModel
public import Sessions

extension PostgresStore {
    public func sessions(_ query: SessionQuery) async throws(PersistenceError) -> SessionPage {
        try await runProjected { connection throws(PersistenceError) in
            let (statement, parameters) = SessionSelection.page(query)
            let sessions = try connection.query(statement, parameters).map(SessionSelection.session)
            let limit = SessionSelection.limit(query)
            var total: Int64?
            if query.offset != nil {
                let (statement, parameters) = SessionSelection.count(query)
                total = try connection.query(statement, parameters).firstRow?.int64(0)
            }
            return SessionPage(
                sessions: sessions.prefix(limit).compactMap { $0 },
                hasMore: sessions.count > limit,
                total: total
            )
        }
    }

    public func session(id: String) async throws(PersistenceError) -> Session? {
        try await runProjected { connection throws(PersistenceError) in
            guard let row = try connection.query(LogStatements.session, Parameters(of: id)).firstRow else { return nil }
            return try SessionSelection.session(row)
        }
    }

    public func statistics(now: Timestamp) async throws(PersistenceError) -> SessionStatistics {
        try await runProjected { connection throws(PersistenceError) in
            let parameters = Parameters(of: now.adding(seconds: -Session.quietSeconds))
            guard let row = try connection.query(LogStatements.statistics, parameters).firstRow else {
                throw PersistenceError(.malformedReply, "an aggregate has no row")
            }
            var statistics = SessionStatistics()
            statistics.activeSessions = try row.int64(0)
            statistics.idleSessions = try row.int64(1)
            statistics.endedSessions = try row.int64(2)
            statistics.waitingSessions = try row.int64(3)
            statistics.totalMessages = try row.int64(4)
            statistics.totalToolCalls = try row.int64(5)
            statistics.tokens = TokenUsage(
                input: try row.int64(6),
                output: try row.int64(7),
                cacheRead: try row.int64(8),
                cacheCreation: try row.int64(9)
            )
            statistics.totalCost = try row.double(10)
            statistics.modelsInUse = try connection.query(LogStatements.models).map { row throws(PersistenceError) in
                try row.text(0)
            }
            return statistics
        }
    }

    /// `idle` stays 0. Cheap enough to be called every second.
    public func openSessions(now: Timestamp) async throws(PersistenceError) -> OpenSessions {
        try await pool.run { connection throws(PersistenceError) in
            let parameters = Parameters(of: now.adding(seconds: -Session.quietSeconds))
            guard let row = try connection.query(LogStatements.openSessions, parameters).firstRow else {
                throw PersistenceError(.malformedReply, "a count has no row")
            }
            var sessions = OpenSessions()
            sessions.active = try row.int64(0)
            sessions.waiting = try row.int64(1)
            return sessions
        }
    }

    /// Reads the whole table. Call it rarely.
    public func idleSessions(now: Timestamp) async throws(PersistenceError) -> Int64 {
        try await pool.run { connection throws(PersistenceError) in
            let parameters = Parameters(of: now.adding(seconds: -Session.quietSeconds))
            return try connection.query(LogStatements.idleSessions, parameters).firstRow?.int64(0) ?? 0
        }
    }

    /// Looks the machine up by its name or its number, never by the name that it reports. Returns `nil` if none
    /// matches.
    public func machine(named name: String) async throws(PersistenceError) -> MachineID? {
        try await pool.run { connection throws(PersistenceError) in
            return try connection.query(LogStatements.machine, Parameters(of: name)).firstRow
                .map { row throws(PersistenceError) in MachineID(rawValue: try row.int64(0)) }
        }
    }

    /// Sorted by name.
    public func machines() async throws(PersistenceError) -> [MachineRecord] {
        try await runProjected { connection throws(PersistenceError) in
            try connection.query(LogStatements.machines).map { row throws(PersistenceError) in
                MachineRecord(
                    id: MachineID(rawValue: try row.int64(0)),
                    name: try row.text(1),
                    reportedName: row.optionalText(2),
                    createdAt: try row.timestamp(3),
                    lastSeenAt: try row.optionalTimestamp(4),
                    sessionCount: try row.int64(5)
                )
            }
        }
    }
}

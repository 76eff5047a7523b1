public import EventModel

/// The outbox as those see it who fill and empty it. Safe to call again after a retriable error.
extension PostgresStore {
    /// Claims what is due. A claim that is not settled within the lease is anybody's again.
    public func claimPushes(
        by server: String,
        limit: Int,
        leaseSeconds: Double,
        sentWithinSeconds: Double,
        now: Timestamp
    ) async throws(PersistenceError) -> PushClaim {
        try await pool.run { connection throws(PersistenceError) in
            var parameters = Parameters()
            parameters.add(now)
            parameters.add(Int64(limit))
            parameters.add(server)
            parameters.add(leaseSeconds)
            var claim = PushClaim()
            claim.pushes = try connection.query(PushOutboxStatements.claim, parameters).map {
                row throws(PersistenceError) in try ClaimedPush(row)
            }
            guard !claim.pushes.isEmpty else { return claim }
            var devices = Parameters()
            devices.add(array: Set(claim.pushes.map(\.device.rawValue)))
            devices.add(now.adding(seconds: -sentWithinSeconds))
            claim.sent = try connection.query(PushOutboxStatements.sentSince, devices).map {
                row throws(PersistenceError) in try SentPush(row)
            }
            var budgets = Parameters()
            budgets.add(array: Set(claim.pushes.map(\.device.rawValue)))
            for row in try connection.query(PushOutboxStatements.budgets, budgets).rows {
                claim.budgets[DeviceID(rawValue: try row.int64(0))] = try row.timestamp(1)
            }
            claim.layers = try PushPreferenceLayer.read(claim.scopes, on: connection)
            return claim
        }
    }

    /// Gives back what servers have claimed whose names begin with `lineage`, all but `living`; they must be dead.
    /// Returns how many deliveries and Live Activities that are.
    public func releasePushes(of lineage: String, except living: String) async throws(PersistenceError) -> Int {
        try await pool.run { connection throws(PersistenceError) in
            var parameters = Parameters()
            parameters.add(lineage)
            parameters.add(living)
            let results = try connection.pipeline([
                (PushOutboxStatements.release, parameters), (PushActivityStatements.release, parameters),
            ])
            return results.reduce(0) { $0 + Int($1.affectedRows) }
        }
    }

    /// Makes what waits for a suspended channel due at once. Returns how many deliveries that is.
    public func wakePushes(now: Timestamp) async throws(PersistenceError) -> Int {
        try await pool.run { connection throws(PersistenceError) in
            var parameters = Parameters()
            parameters.add(now)
            return Int(try connection.query(PushOutboxStatements.wake, parameters).affectedRows)
        }
    }

    /// To be called before deliveries are handed to a transport. Returns those that may be, and why others are void.
    public func beginPushes(
        _ ids: [Int64],
        by server: String,
        leaseSeconds: Double
    ) async throws(PersistenceError) -> BegunPushes {
        try await pool.run { connection throws(PersistenceError) in
            var parameters = Parameters()
            parameters.add(array: ids)
            parameters.add(server)
            parameters.add(leaseSeconds)
            var begun = BegunPushes()
            for row in try connection.query(PushOutboxStatements.begin, parameters).rows {
                let id = try row.int64(0)
                if let reason = row.optionalText(1) { begun.void[id] = reason } else { begun.ids.insert(id) }
            }
            return begun
        }
    }

    /// Only what `server` has claimed is changed. Returns what came to its end by this call.
    public func settlePushes(
        _ settlements: [PushSettlement],
        tokens: [PushTokenVerdict],
        by server: String,
        now: Timestamp
    ) async throws(PersistenceError) -> PushTally {
        guard !settlements.isEmpty || !tokens.isEmpty else { return [:] }
        return try await pool.run { connection throws(PersistenceError) in
            let charged = settlements.compactMap(\.budget)
            var budgets = Parameters()
            budgets.add(array: charged.map(\.device.rawValue))
            budgets.add(array: charged.map(\.fullAt))
            let digests = settlements.compactMap { settlement in
                settlement.digest.map { PostgresStore.parameters(of: $0, for: settlement.id, now: now) }
            }
            let results = try connection.pipeline(
                [
                    (PushOutboxStatements.settle, PostgresStore.parameters(of: settlements, by: server, now: now)),
                    (PushOutboxStatements.judgeTokens, PostgresStore.parameters(of: tokens, now: now)),
                    (PushOutboxStatements.keepBudgets, budgets),
                ] + digests.map { (PushOutboxStatements.digest, $0) }
            )
            return try results.first.map { result throws(PersistenceError) in try PushTally(result) } ?? [:]
        }
    }

    /// When the next delivery is to be looked at; `nil`: nothing waits.
    public func nextPushDue(now: Timestamp) async throws(PersistenceError) -> Timestamp? {
        try await pool.run { connection throws(PersistenceError) in
            var parameters = Parameters()
            parameters.add(now)
            return try connection.query(PushOutboxStatements.nextDue, parameters).firstRow?.optionalTimestamp(0)
        }
    }

    public func pushBacklog(now: Timestamp) async throws(PersistenceError) -> PushBacklog {
        try await pool.run { connection throws(PersistenceError) in
            var parameters = Parameters()
            parameters.add(now)
            var backlog = PushBacklog()
            if let row = try connection.query(PushOutboxStatements.backlog, parameters).firstRow {
                backlog.waiting = try row.int64(0)
                backlog.claimed = try row.int64(1)
                backlog.nextDue = try row.optionalTimestamp(2)
                backlog.oldestDue = try row.optionalTimestamp(3)
                backlog.heldUp = try row.int64(4)
            }
            backlog.tokens = try connection.query(PushTokenStatements.byState).map { row throws(PersistenceError) in
                PushBacklog.TokenCount(
                    kind: try row.text(0),
                    state: try row.text(1),
                    count: try row.int64(2)
                )
            }
            return backlog
        }
    }

    private static func parameters(
        of settlements: [PushSettlement],
        by server: String,
        now: Timestamp
    ) -> Parameters {
        var parameters = Parameters(reserving: 256 * settlements.count + 64)
        parameters.add(array: settlements.map(\.id))
        parameters.add(array: settlements.map(\.state.rawValue))
        parameters.add(array: settlements.map(\.dueAt))
        parameters.add(array: settlements.map(\.code.rawValue))
        parameters.add(array: settlements.map(\.reason))
        parameters.add(array: settlements.map(\.level))
        parameters.add(array: settlements.map(\.collapseID))
        parameters.add(array: settlements.map { $0.status.map(Int64.init) })
        parameters.add(array: settlements.map { $0.wasNotSubmitted ? Int64(1) : 0 })
        parameters.add(array: settlements.map { $0.isRetried ? Int64(1) : 0 })
        parameters.add(array: settlements.map { $0.isTooLarge ? Int64(1) : 0 })
        parameters.add(server)
        parameters.add(now)
        return parameters
    }

    private static func parameters(of digest: NewPushNotice, for delivery: Int64, now: Timestamp) -> Parameters {
        var parameters = Parameters(reserving: 512)
        parameters.add(delivery)
        parameters.add(digest.key)
        parameters.add(TextBytes(bytes: digest.notice))
        parameters.add(digest.collapseID)
        parameters.add(now)
        parameters.add(digest.notBefore)
        parameters.add(digest.expiresAt)
        return parameters
    }

    private static func parameters(of tokens: [PushTokenVerdict], now: Timestamp) -> Parameters {
        var parameters = Parameters()
        parameters.add(array: tokens.map(\.tokenID))
        parameters.add(array: tokens.map(\.registeredAt))
        parameters.add(array: tokens.map(\.state.rawValue))
        parameters.add(array: tokens.map(\.reason))
        parameters.add(now)
        return parameters
    }
}

extension PushClaim {
    /// The layers of preferences that may speak about these pushes.
    fileprivate var scopes: [PushScope] {
        let devices = Set(pushes.map(\.device.rawValue)).map { PushScope(.device, String($0)) }
        let projects = Set(pushes.compactMap(\.workspaceID)).map { PushScope(.project, $0) }
        let sessions = Set(pushes.compactMap(\.sessionID)).map { PushScope(.session, $0) }
        return [PushScope(.default)] + devices + projects + sessions
    }
}

extension ClaimedPush {
    fileprivate init(_ row: PQRow) throws(PersistenceError) {
        self.init(
            id: try row.int64(0),
            apnsID: try row.eventID(1),
            noticeKey: try row.text(2),
            kind: try row.text(3),
            sessionID: row.optionalText(4),
            notice: try row.bytes(5),
            withdrawnBecause: row.optionalText(6),
            expiresAt: try row.timestamp(7),
            createdAt: try row.timestamp(8),
            device: DeviceID(rawValue: try row.int64(9)),
            attempts: try row.int64(10),
            submissions: try row.int64(11),
            retries: try row.int64(19 + PushTokenRecord.columnCount),
            isTooLarge: try row.bool(20 + PushTokenRecord.columnCount),
            lastReason: row.optionalText(21 + PushTokenRecord.columnCount),
            token: try row.bool(14) ? try PushTokenRecord(row, from: 15) : nil,
            utcOffsetSeconds: try row.int64(13),
            workspaceID: row.optionalText(12),
            newerDueAt: try row.optionalTimestamp(15 + PushTokenRecord.columnCount),
            confirmedAt: try row.optionalTimestamp(18 + PushTokenRecord.columnCount)
        )
        if let count = try row.optionalInt64(16 + PushTokenRecord.columnCount) {
            digest = (count, try row.int64(17 + PushTokenRecord.columnCount))
        }
    }
}

extension SentPush {
    fileprivate init(_ row: PQRow) throws(PersistenceError) {
        self.init(
            device: DeviceID(rawValue: try row.int64(0)),
            sentAt: try row.timestamp(1),
            kind: try row.text(2),
            sessionID: row.optionalText(3),
            collapseID: row.optionalText(4),
            seq: try row.optionalInt64(5)
        )
    }
}

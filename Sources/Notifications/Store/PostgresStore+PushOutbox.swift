internal import EventModel
internal import Persistence

/// The outbox for the dispatcher. Safe to repeat after a retriable error.
extension PostgresStore {
    /// Claims due deliveries. After its lease, an unsettled claim can be taken by any server.
    func claimPushes(
        by server: String,
        limit: Int,
        leaseSeconds: Double,
        sentWithinSeconds: Double,
        now: Timestamp
    ) async throws(PersistenceError) -> OutboxClaim {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: now, Int64(limit), server, leaseSeconds)
            var claim = OutboxClaim()
            claim.pushes = try connection.query(OutboxStatements.claim, parameters).map {
                row throws(PersistenceError) in try OutboxEntry(row)
            }
            guard !claim.pushes.isEmpty else { return claim }
            var budgets = Parameters()
            budgets.add(array: Set(claim.pushes.map(\.device.rawValue)))
            var devices = budgets
            devices.add(now.adding(seconds: -sentWithinSeconds))
            claim.sent = try connection.query(OutboxStatements.sentSince, devices).map {
                row throws(PersistenceError) in try SentPush(row)
            }
            for row in try connection.query(OutboxStatements.budgets, budgets).rows {
                claim.budgets[DeviceID(rawValue: try row.int64(0))] = try row.timestamp(1)
            }
            let scopes = PushScope.all(
                of: claim.pushes.map(\.device),
                claim.pushes.map(\.workspaceID),
                claim.pushes.map { $0.notification?.place.sessionID }
            )
            claim.layers = try PushPreferenceLayer.read(scopes, on: connection)
            return claim
        }
    }

    /// Releases the claims of servers whose names begin with `lineage`, except `living`. Those servers must be dead.
    /// Returns the number of deliveries and Live Activities released.
    func releasePushes(of lineage: String, except living: String) async throws(PersistenceError) -> Int {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: lineage, living)
            return try connection.pipeline([
                (OutboxStatements.release, parameters), (LiveActivityStatements.release, parameters),
            ]).reduce(0) { $0 + $1.affectedRows }
        }
    }

    /// Makes deliveries that wait for a suspended channel due at once. Returns their number.
    func wakePushes(now: Timestamp) async throws(PersistenceError) -> Int {
        try await run { connection throws(PersistenceError) in
            try connection.query(OutboxStatements.wake, Parameters(of: now)).affectedRows
        }
    }

    /// Call before deliveries are submitted. Returns those that may be submitted, and the reasons why others are
    /// void.
    func beginPushes(
        _ ids: [Int64],
        by server: String,
        leaseSeconds: Double
    ) async throws(PersistenceError) -> BegunPushes {
        try await run { connection throws(PersistenceError) in
            var parameters = Parameters()
            parameters.add(array: ids)
            parameters.add(server)
            parameters.add(leaseSeconds)
            var begun = BegunPushes()
            for row in try connection.query(OutboxStatements.begin, parameters).rows {
                let id = try row.int64(0)
                if let reason = row.optionalText(1) { begun.void[id] = reason } else { begun.ids.insert(id) }
            }
            return begun
        }
    }

    /// Changes only deliveries that `server` has claimed. Returns the outcomes that this call made final.
    func settlePushes(
        _ settlements: [Settlement],
        by server: String,
        now: Timestamp
    ) async throws(PersistenceError) -> PushTally {
        guard !settlements.isEmpty else { return [:] }
        return try await run { connection throws(PersistenceError) in
            let charged = settlements.compactMap(\.budget)
            var budgets = Parameters()
            budgets.add(array: charged.map(\.device.rawValue))
            budgets.add(array: charged.map(\.fullAt))
            let results = try connection.pipeline(
                [
                    (OutboxStatements.settle, PostgresStore.parameters(of: settlements, by: server, now: now)),
                    (OutboxStatements.judgeTokens, settlements.compactMap(\.token).parameters(now: now)),
                    (OutboxStatements.keepBudgets, budgets),
                ]
                    + settlements.compactMap { settlement in
                        settlement.digest.map { (OutboxStatements.digest, $0.parameters(of: settlement.id, now: now)) }
                    }
            )
            return try results.first.map { result throws(PersistenceError) in try PushTally(result) } ?? [:]
        }
    }

    /// Applies the verdict on a token from the answer to a push without a row in the outbox.
    func judgePushToken(_ verdict: TokenVerdict, now: Timestamp) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(OutboxStatements.judgeTokens, [verdict].parameters(now: now))
        }
    }

    /// When the next delivery is due; `nil` if none waits.
    func nextPushDue(now: Timestamp) async throws(PersistenceError) -> Timestamp? {
        try await run { connection throws(PersistenceError) in
            try connection.query(OutboxStatements.nextDue, Parameters(of: now)).firstRow?.optionalTimestamp(0)
        }
    }

    func pushBacklog(now: Timestamp) async throws(PersistenceError) -> OutboxBacklog {
        try await run { connection throws(PersistenceError) in
            var backlog = OutboxBacklog()
            if let row = try connection.query(OutboxStatements.backlog, Parameters(of: now)).firstRow {
                backlog.waiting = try row.int64(0)
                backlog.claimed = try row.int64(1)
                backlog.nextDue = try row.optionalTimestamp(2)
                backlog.oldestDue = try row.optionalTimestamp(3)
                backlog.heldUp = try row.int64(4)
            }
            backlog.tokens = try connection.query(PushTokenStatements.byState).map { row throws(PersistenceError) in
                OutboxBacklog.TokenCount(kind: try row.text(0), state: try row.text(1), count: try row.int64(2))
            }
            return backlog
        }
    }

    private static func parameters(of settlements: [Settlement], by server: String, now: Timestamp) -> Parameters {
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
}

extension Notification {
    /// The parameters of a digest that includes the delivery.
    fileprivate func parameters(of delivery: Int64, now: Timestamp) -> Parameters {
        Parameters(of: delivery, key, TextBytes(bytes: stored()), collapseID, now, notBefore, expiresAt)
    }
}

extension [TokenVerdict] {
    fileprivate func parameters(now: Timestamp) -> Parameters {
        var parameters = Parameters()
        parameters.add(array: map(\.tokenID))
        parameters.add(array: map(\.registeredAt))
        parameters.add(array: map(\.state.rawValue))
        parameters.add(array: map(\.reason))
        parameters.add(now)
        return parameters
    }
}

extension OutboxEntry {
    fileprivate init(_ row: PQRow) throws(PersistenceError) {
        let behind = 13 + PushTokenRecord.columnCount
        self.init(
            id: try row.int64(0),
            apnsID: try row.eventID(1),
            key: try row.text(2),
            kind: try row.text(3),
            notification: Notification(stored: try row.bytes(4)),
            withdrawnBecause: row.optionalText(5),
            expiresAt: try row.timestamp(6),
            device: DeviceID(rawValue: try row.int64(7)),
            attempts: try row.int64(8),
            submissions: try row.int64(9),
            retries: try row.int64(behind + 4),
            isTooLarge: try row.bool(behind + 5),
            lastReason: row.optionalText(behind + 6),
            token: try row.bool(12) ? try PushTokenRecord(row, from: 13) : nil,
            utcOffsetSeconds: try row.int64(11),
            workspaceID: row.optionalText(10),
            newerDueAt: try row.optionalTimestamp(behind),
            confirmedAt: try row.optionalTimestamp(behind + 3)
        )
        if let count = try row.optionalInt64(behind + 1) { digest = (count, try row.int64(behind + 2)) }
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

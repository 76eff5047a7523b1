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
            claim.pushes = try connection.query(OutboxStatements.claim, parameters).values()
            guard !claim.pushes.isEmpty else { return claim }
            let devices = Set(claim.pushes.map(\.device))
            let sent = Parameters(of: devices, now.adding(seconds: -sentWithinSeconds))
            claim.sent = try connection.query(OutboxStatements.sentSince, sent).map { row throws(PersistenceError) in
                try row.make(SentPush.init)
            }
            for row in try connection.query(OutboxStatements.budgets, Parameters(of: devices)).rows {
                let (device, fullAt): (DeviceID, Timestamp) = try row.values()
                claim.budgets[device] = fullAt
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

    /// Call when deliveries can be sent, immediately before. A delivery with a permit may be sent whatever happens
    /// afterwards. The deliveries are judged in order, each by the outcome of those before it.
    ///
    /// - Parameters:
    ///   - pushes: each delivery, whether this is its first permit since it was claimed, and the preferences by which
    ///     it was composed.
    ///   - sentWithinSeconds: how long a sent push can be replaced.
    func admitPushes(
        _ pushes: [(id: Int64, isFirst: Bool, preferences: String?)],
        by server: String,
        leaseSeconds: Double,
        sentWithinSeconds: Double,
        now: Timestamp
    ) async throws(PersistenceError) -> [DeliveryPermit] {
        let since = now.adding(seconds: -sentWithinSeconds)
        return try await run { connection throws(PersistenceError) in
            try pushes.map { push throws(PersistenceError) in
                let count = Int64(push.isFirst ? 1 : 0)
                let parameters = Parameters(of: push.id, server, leaseSeconds, count, since, push.preferences)
                guard let row = try connection.query(OutboxStatements.admit, parameters).firstRow else {
                    return .unknown
                }
                let reason: String? = try row.values()
                return reason.map { .void(PushCode(rawValue: $0) ?? .withdrawn) } ?? .granted
            }
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
            let settled = OutboxStatements.settlements.arrays(settlements)
            let verdicts = OutboxStatements.verdicts.arrays(settlements.compactMap(\.token))
            let results = try connection.pipeline(
                [
                    (OutboxStatements.settle, Parameters(of: settled, server, now)),
                    (OutboxStatements.setTokenStates, Parameters(of: verdicts, now)),
                    (OutboxStatements.keepBudgets, Parameters(of: OutboxStatements.charges.arrays(charged))),
                ]
                    + settlements.compactMap { settlement in
                        settlement.digest.map { (OutboxStatements.digest, $0.parameters(of: settlement.id, now: now)) }
                    }
            )
            return try results.first.map { result throws(PersistenceError) in try PushTally(result) } ?? [:]
        }
    }

    /// Applies the verdict on a token from the answer to a push without a row in the outbox.
    func setTokenState(_ verdict: TokenVerdict, now: Timestamp) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: OutboxStatements.verdicts.arrays([verdict]), now)
            _ = try connection.query(OutboxStatements.setTokenStates, parameters)
        }
    }

    /// When the next delivery is due; `nil` if none waits.
    func nextPushDue(now: Timestamp) async throws(PersistenceError) -> Timestamp? {
        try await run { connection throws(PersistenceError) in
            try connection.query(OutboxStatements.nextDue, Parameters(of: now)).firstValue()
        }
    }

    func pushBacklog(now: Timestamp) async throws(PersistenceError) -> OutboxBacklog {
        try await run { connection throws(PersistenceError) in
            var backlog = OutboxBacklog()
            if let row = try connection.query(OutboxStatements.backlog, Parameters(of: now)).firstRow {
                (backlog.waiting, backlog.claimed, backlog.nextDue, backlog.oldestDue, backlog.heldUp) =
                    try row.values()
            }
            backlog.tokens = try connection.query(PushTokenStatements.byState).map { row throws(PersistenceError) in
                try row.make(OutboxBacklog.TokenCount.init)
            }
            return backlog
        }
    }
}

extension Notification {
    /// The parameters of a digest that includes the delivery.
    fileprivate func parameters(of delivery: Int64, now: Timestamp) -> Parameters {
        Parameters(of: delivery, key, TextBytes(bytes: stored()), collapseID, now, notBefore, expiresAt)
    }
}

/// The columns of `OutboxStatements.claim`.
extension OutboxEntry: PGColumn {
    init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        let stored: [UInt8]
        (id, apnsID, key, kind, stored, withdrawnBecause, expiresAt) = try row.values(from: column)
        notification = Notification(stored: stored)
        (device, attempts, submissions, workspaceID, utcOffsetSeconds) = try row.values(from: column + 7)
        let counts: (count: Int64?, sessions: Int64?)
        (
            token, newerDueAt, counts.count, counts.sessions, confirmedAt, retries, isTooLarge, lastReason, preferences,
            machine
        ) = try row.values(from: column + 12)
        if let count = counts.count, let sessions = counts.sessions { digest = (count, sessions) }
    }
}

internal import EventModel
internal import Persistence

/// Why a push was or was not sent.
extension PostgresStore {
    /// The notices that the event raised, and the decisions about them.
    func pushHistory(ofEvent id: EventID) async throws(PersistenceError) -> [PushHistory] {
        try await pushHistory(PushHistoryStatements.ofEvent, id)
    }

    /// The notice of a push.
    func pushHistory(ofPush apnsID: EventID) async throws(PersistenceError) -> [PushHistory] {
        try await pushHistory(PushHistoryStatements.ofPush, apnsID)
    }

    /// Newest first.
    func pushHistory(latest limit: Int) async throws(PersistenceError) -> [PushHistory] {
        try await pushHistory(PushHistoryStatements.latest, Int64(limit))
    }

    /// The newest delivery probes, newest first.
    func deliveryProbes(latest limit: Int) async throws(PersistenceError) -> [PushHistory] {
        try await pushHistory(PushHistoryStatements.probes, Int64(limit))
    }

    private func pushHistory(
        _ statement: Statement,
        _ argument: some PGEncodable & Sendable
    ) async throws(PersistenceError) -> [PushHistory] {
        try await run { connection throws(PersistenceError) in
            var histories: [PushHistory] = []
            for row in try connection.query(statement, Parameters(of: argument)).rows {
                let key: String = try row.value()
                if histories.last?.noticeKey != key { histories.append(try row.value()) }
                if let decision: PushDecision = try row.value(PushHistory.columnCount) {
                    histories[histories.count - 1].decisions.append(decision)
                }
            }
            return histories
        }
    }

    /// The log position of an event, and the position up to which the log has been processed, whether or not the
    /// event raised a notice. Returns `nil` if the event does not exist.
    func pushProgress(ofEvent id: EventID) async throws(PersistenceError) -> (seq: Int64, judged: Int64)? {
        try await run { connection throws(PersistenceError) in
            let result = try connection.query(PushHistoryStatements.progress, Parameters(of: id))
            guard let row = result.firstRow else { return nil }
            let (seq, judged): (Int64, Int64) = try row.values()
            return (seq, judged)
        }
    }

    /// Adds a notification without an event for one device. Returns the names of its deliveries, or none if the
    /// device has no active token.
    func addPushNotice(
        _ notice: Notification,
        for device: DeviceID,
        now: Timestamp
    ) async throws(PersistenceError) -> [EventID] {
        let parameters = Parameters(
            of: notice.key,
            notice.kind.rawValue,
            notice.collapseID,
            TextBytes(bytes: notice.stored()),
            notice.raisedAt,
            notice.notBefore,
            notice.expiresAt,
            device,
            now
        )
        return try await add(parameters)
    }

    /// Adds an invisible push in the way in which `addPushNotice` adds a visible one.
    func addDeliveryProbe(
        _ key: String,
        for device: DeviceID,
        until end: Timestamp,
        now: Timestamp
    ) async throws(PersistenceError) -> [EventID] {
        let kind = DeliveryProbe.kind
        return try await add(Parameters(of: key, kind, kind, "{}", now, now, end, device, now))
    }

    private func add(_ parameters: Parameters) async throws(PersistenceError) -> [EventID] {
        try await run { connection throws(PersistenceError) in
            try connection.query(PushHistoryStatements.add, parameters).values()
        }
    }

    /// Deletes decisions from before `decided`, the state of sessions that have been silent since `silent`, and
    /// tokens that were not registered again since `stale` or whose device no longer exists, with their waiting
    /// deliveries. Returns the number of deleted notices.
    func trimPushes(
        decided: Timestamp,
        silent: Timestamp,
        stale: Timestamp,
        now: Timestamp
    ) async throws(PersistenceError) -> (notices: Int64, withdrawn: PushTally) {
        try await run { connection throws(PersistenceError) in
            let results = try connection.pipeline([
                (PushHistoryStatements.trimTokens, Parameters(of: stale, now)),
                (PushHistoryStatements.trimWatches, Parameters(of: silent)),
                (LiveActivityStatements.trim, Parameters(of: silent)),
                (PushHistoryStatements.trimNotices, Parameters(of: decided)),
            ])
            return (
                Int64(results.last?.affectedRows ?? 0),
                try results.first.map { result throws(PersistenceError) in try PushTally(result) } ?? [:]
            )
        }
    }
}

/// The columns of a notice in `PushHistoryStatements`.
extension PushHistory: PGColumn {
    static var columnCount: Int { 10 }

    init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        (noticeKey, kind, eventSeq, eventID, sessionID) = try row.values(from: column)
        (raisedAt, notBefore, expiresAt, withdrawnAt, withdrawnBecause) = try row.values(from: column + 5)
    }
}

/// The columns of a delivery in `PushHistoryStatements`.
extension PushDecision: PGColumn {
    init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        (id, device, tokenKind, tokenFingerprint, apnsID) = try row.values(from: column)
        (state, dueAt, attempts, submissions, level, collapseID) = try row.values(from: column + 5)
        let (word, sentence): (String?, String?) = try row.values(from: column + 11)
        (status, decidedAt) = try row.values(from: column + 13)
        // A row that the rules did not decide has no sentence of its own, or still that of its last wait.
        let code: PushCode? =
            switch state {
            case .claimed: .sending
            case .waiting: word.map { PushCode(rawValue: $0) } ?? .notYetDue
            default: word.flatMap { PushCode(rawValue: $0) }
            }
        self.code = code?.rawValue ?? word
        reason = (state == .claimed ? nil : sentence) ?? code?.sentence
    }
}

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
                let key = try row.text(0)
                if histories.last?.noticeKey != key { histories.append(try PushHistory(row)) }
                guard try row.optionalInt64(10) != nil else { continue }
                histories[histories.count - 1].decisions.append(try PushDecision(row, from: 10))
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
            return (try row.int64(0), try row.int64(1))
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
            device.rawValue,
            now
        )
        return try await add(parameters)
    }

    /// As `addPushNotice`, for an invisible push.
    func addDeliveryProbe(
        _ key: String,
        for device: DeviceID,
        until end: Timestamp,
        now: Timestamp
    ) async throws(PersistenceError) -> [EventID] {
        let kind = DeliveryProbe.kind
        return try await add(Parameters(of: key, kind, kind, "{}", now, now, end, device.rawValue, now))
    }

    private func add(_ parameters: Parameters) async throws(PersistenceError) -> [EventID] {
        try await run { connection throws(PersistenceError) in
            try connection.query(PushHistoryStatements.add, parameters).map { row throws(PersistenceError) in
                try row.eventID(0)
            }
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

extension PushHistory {
    fileprivate init(_ row: PQRow) throws(PersistenceError) {
        self.init(
            noticeKey: try row.text(0),
            kind: try row.text(1),
            eventSeq: try row.optionalInt64(2),
            eventID: row.optionalBytes(3) == nil ? nil : try row.eventID(3),
            sessionID: row.optionalText(4),
            raisedAt: try row.timestamp(5),
            notBefore: try row.timestamp(6),
            expiresAt: try row.timestamp(7),
            withdrawnAt: try row.optionalTimestamp(8),
            withdrawnBecause: row.optionalText(9)
        )
    }
}

extension PushDecision {
    fileprivate init(_ row: PQRow, from first: Int) throws(PersistenceError) {
        guard let state = PushState(rawValue: try row.text(first + 5)) else {
            throw PersistenceError(.malformedReply, "the state of a push is not known")
        }
        // A row that the rules did not decide has no sentence of its own, or still that of its last wait.
        let code: PushCode? =
            switch state {
            case .claimed: .sending
            case .waiting: row.optionalText(first + 11).map { PushCode(rawValue: $0) } ?? .notYetDue
            default: row.optionalText(first + 11).flatMap { PushCode(rawValue: $0) }
            }
        let reason = state == .claimed ? nil : row.optionalText(first + 12)
        self.init(
            id: try row.int64(first),
            device: DeviceID(rawValue: try row.int64(first + 1)),
            tokenKind: try row.text(first + 2),
            tokenFingerprint: row.optionalText(first + 3),
            apnsID: try row.eventID(first + 4),
            state: state,
            dueAt: try row.timestamp(first + 6),
            attempts: try row.int64(first + 7),
            submissions: try row.int64(first + 8),
            level: row.optionalText(first + 9),
            collapseID: row.optionalText(first + 10),
            code: code?.rawValue ?? row.optionalText(first + 11),
            reason: reason ?? code?.sentence,
            status: try row.optionalInt64(first + 13),
            decidedAt: try row.optionalTimestamp(first + 14)
        )
    }
}

public import EventModel

/// Why a push did or did not come.
extension PostgresStore {
    /// What the event raised, and what was decided about it.
    public func pushHistory(ofEvent id: EventID) async throws(PersistenceError) -> [PushHistory] {
        try await pushHistory(PushHistoryStatements.ofEvent, id)
    }

    /// The notice that a push was sent for, or was to be.
    public func pushHistory(ofPush apnsID: EventID) async throws(PersistenceError) -> [PushHistory] {
        try await pushHistory(PushHistoryStatements.ofPush, apnsID)
    }

    /// The newest first.
    public func pushHistory(latest limit: Int) async throws(PersistenceError) -> [PushHistory] {
        try await pushHistory(PushHistoryStatements.latest, Int64(limit))
    }

    /// Pushes sent to see whether pushes leave; the newest first.
    public func pushCanaries(latest limit: Int) async throws(PersistenceError) -> [PushHistory] {
        try await pushHistory(PushHistoryStatements.canaries, Int64(limit))
    }

    private func pushHistory(
        _ statement: Statement,
        _ argument: some PGEncodable & Sendable
    ) async throws(PersistenceError) -> [PushHistory] {
        try await pool.run { connection throws(PersistenceError) in
            var parameters = Parameters()
            parameters.add(argument)
            var histories: [PushHistory] = []
            for row in try connection.query(statement, parameters).rows {
                let key = try row.text(0)
                if histories.last?.noticeKey != key { histories.append(try PushHistory(row)) }
                guard try row.optionalInt64(10) != nil else { continue }
                histories[histories.count - 1].decisions.append(try PushDecision(row, from: 10))
            }
            return histories
        }
    }

    /// The places of an event, whether or not it raised anything: in the log, and how far the log has been judged.
    /// `nil`: there is no such event.
    public func pushProgress(ofEvent id: EventID) async throws(PersistenceError) -> (seq: Int64, judged: Int64)? {
        try await pool.run { connection throws(PersistenceError) in
            var parameters = Parameters()
            parameters.add(id)
            guard let row = try connection.query(PushHistoryStatements.progress, parameters).firstRow else {
                return nil
            }
            return (try row.int64(0), try row.int64(1))
        }
    }

    /// Adds a notice that no event stands behind, for one device. Returns the names of its deliveries, none where the
    /// device has no active token.
    public func addPushNotice(
        _ notice: NewPushNotice,
        for device: DeviceID,
        now: Timestamp
    ) async throws(PersistenceError) -> [EventID] {
        try await pool.run { connection throws(PersistenceError) in
            var parameters = Parameters(reserving: 512)
            parameters.add(notice.key)
            parameters.add(notice.kind)
            parameters.add(notice.collapseID)
            parameters.add(TextBytes(bytes: notice.notice))
            parameters.add(notice.raisedAt)
            parameters.add(notice.notBefore)
            parameters.add(notice.expiresAt)
            parameters.add(device.rawValue)
            parameters.add(now)
            return try connection.query(PushHistoryStatements.add, parameters).map { row throws(PersistenceError) in
                try row.eventID(0)
            }
        }
    }

    /// Removes what was decided before `decided`, what is remembered of sessions that were silent since `silent`, and
    /// tokens that were not registered again since `stale` or whose device is gone, with what waits for them. Returns
    /// how many notices went.
    public func trimPushes(
        decided: Timestamp,
        silent: Timestamp,
        stale: Timestamp,
        now: Timestamp
    ) async throws(PersistenceError) -> (notices: Int64, withdrawn: PushTally) {
        try await pool.run { connection throws(PersistenceError) in
            var tokens = Parameters()
            tokens.add(stale)
            tokens.add(now)
            var watches = Parameters()
            watches.add(silent)
            var notices = Parameters()
            notices.add(decided)
            let results = try connection.pipeline([
                (PushHistoryStatements.trimTokens, tokens), (PushHistoryStatements.trimWatches, watches),
                (PushActivityStatements.trim, watches),
                (PushHistoryStatements.trimNotices, notices),
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
        guard let state = State(rawValue: try row.text(first + 5)) else {
            throw PersistenceError(.malformedReply, "the state of a push is not known")
        }
        // A row that was not decided by asking the rules has no sentence of its own, or still that of its last wait.
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

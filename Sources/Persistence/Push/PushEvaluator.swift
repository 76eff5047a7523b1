import EventModel

/// The transaction that judges the next page of the log: reading it, raising and withdrawing notices, and moving on
/// are one. Whatever breaks it, the page is judged again.
struct PushEvaluator {
    /// Notices about events older than this would have expired.
    static let maximumAgeSeconds = 12.0 * 3600

    let connection: PQConnection
    let now: Timestamp
    let pageEvents: Int

    private struct Progress {
        var epoch: String
        var seq: Int64
        var state: [UInt8]?
        var head: Int64
    }

    func run(_ judge: (PushPage) -> PushJudgement) throws(PersistenceError) -> PushEvaluation {
        do throws(PersistenceError) {
            return try runInTransaction(judge)
        } catch {
            if !error.isConnectionLost { _ = try? connection.query(PushEvaluationStatements.rollback) }
            throw error
        }
    }

    private func runInTransaction(_ judge: (PushPage) -> PushJudgement) throws(PersistenceError) -> PushEvaluation {
        var outcome = PushEvaluation()
        var progress = try begin()
        let events = try pending(&progress, &outcome)
        guard !events.isEmpty else {
            if outcome.skipped > 0 { _ = try connection.query(PushEvaluationStatements.move, moving(progress)) }
            _ = try connection.query(PushEvaluationStatements.commit)
            return outcome
        }
        var page = PushPage(events: events)
        page.watches = try watches(of: events)
        page.state = progress.state
        page.preferences = try PushPreferenceLayer.read([PushScope(.default)], on: connection).first?.settings
        let judgement = judge(page)
        outcome.events = events.count
        progress.seq = events.last?.seq ?? progress.head
        progress.state = judgement.state
        outcome.activities = judgement.activities.count
        outcome.hasMore = progress.seq < progress.head
        try apply(judgement, progress, &outcome)
        return outcome
    }

    /// A log of another epoch is judged from its end on.
    private func begin() throws(PersistenceError) -> Progress {
        let results = try connection.pipeline([
            (PushEvaluationStatements.begin, Parameters()), (PushEvaluationStatements.progress, Parameters()),
            (PushEvaluationStatements.head, Parameters()),
        ])
        guard results.count == 3, let place = results[1].firstRow, let head = results[2].firstRow else {
            throw PersistenceError(.malformedReply, "the projection 'push' has no row")
        }
        let epoch = try head.text(0)
        let end = try head.int64(1)
        guard try place.text(0) == epoch else {
            _ = try connection.query(PushEvaluationStatements.forgetWatches)
            var progress = Progress(epoch: epoch, seq: end, state: nil, head: end)
            _ = try connection.query(PushEvaluationStatements.move, moving(progress))
            progress.head = end
            return progress
        }
        return Progress(epoch: epoch, seq: try place.int64(1), state: place.optionalBytes(2), head: end)
    }

    /// The next page. What nobody is there for, and what is too old to be told, is skipped.
    private func pending(
        _ progress: inout Progress,
        _ outcome: inout PushEvaluation
    ) throws(PersistenceError) -> [CommittedEvent] {
        guard progress.seq < progress.head else { return [] }
        guard try connection.query(PushEvaluationStatements.hasListeners).firstRow?.bool(0) == true else {
            try skip(to: progress.head, &progress, &outcome)
            return []
        }
        let events = try events(after: progress.seq)
        let limit = now.adding(seconds: -PushEvaluator.maximumAgeSeconds)
        guard let oldest = events.first, oldest.event.receivedAt < limit else { return events }
        var bounds = Parameters()
        bounds.add(limit)
        bounds.add(progress.head)
        let place = try connection.query(PushEvaluationStatements.placeBefore, bounds).firstRow?.int64(0)
        try skip(to: max(place ?? 0, oldest.seq), &progress, &outcome)
        return progress.seq < progress.head ? try self.events(after: progress.seq) : []
    }

    private func skip(
        to place: Int64,
        _ progress: inout Progress,
        _ outcome: inout PushEvaluation
    ) throws(PersistenceError) {
        outcome.skipped += place - progress.seq
        progress.seq = place
        progress.state = nil
        _ = try connection.query(PushEvaluationStatements.forgetWatches)
    }

    private func events(after seq: Int64) throws(PersistenceError) -> [CommittedEvent] {
        var query = EventQuery(limit: pageEvents)
        query.after = seq
        query.maxBytes = 4 << 20
        let (statement, parameters) = EventSelection.make(query)
        return try EventSelection.page(try connection.query(statement, parameters)).events
    }

    private func watches(of events: [CommittedEvent]) throws(PersistenceError) -> [String: [UInt8]] {
        let sessions = Set(events.compactMap(\.event.sessionID))
        guard !sessions.isEmpty else { return [:] }
        var parameters = Parameters()
        parameters.add(array: sessions)
        var watches: [String: [UInt8]] = [:]
        for row in try connection.query(PushEvaluationStatements.watches, parameters).rows {
            watches[try row.text(0)] = try row.bytes(1)
        }
        return watches
    }

    private func apply(
        _ judgement: PushJudgement,
        _ progress: Progress,
        _ outcome: inout PushEvaluation
    ) throws(PersistenceError) {
        let plan = PushActionPlan(judgement.actions)
        if !plan.withdrawn.isEmpty {
            var parameters = Parameters()
            parameters.add(array: plan.withdrawn.map(\.promptKey))
            parameters.add(array: plan.withdrawn.map(\.because))
            parameters.add(now)
            let result = try connection.query(PushEvaluationStatements.withdraw, parameters)
            outcome.withdrawn = try result.firstRow?.int64(0) ?? 0
            outcome.ended = try PushTally(result, from: 1)
        }
        if !plan.raised.isEmpty {
            let row = try connection.query(PushEvaluationStatements.raise, plan.raisedParameters(now: now)).firstRow
            outcome.notices = try row?.int64(0) ?? 0
            outcome.deliveries = try row?.int64(1) ?? 0
        }
        if !plan.resolutions.isEmpty {
            let row = try connection.query(PushEvaluationStatements.resolve, plan.resolutionParameters(now: now))
                .firstRow
            outcome.notices += try row?.int64(0) ?? 0
            outcome.deliveries += try row?.int64(1) ?? 0
        }
        if !plan.confirmed.isEmpty {
            var parameters = Parameters()
            parameters.add(array: plan.confirmed)
            parameters.add(now)
            let row = try connection.query(PushEvaluationStatements.confirm, parameters).firstRow
            outcome.confirmed = try row?.int64(0) ?? 0
        }
        if !judgement.activities.isEmpty {
            let beginning = judgement.activities.filter(\.mayBegin)
            let update = judgement.activities.parameters(now: now)
            _ = try connection.query(PushActivityStatements.update, update)
            if !beginning.isEmpty {
                _ = try connection.query(PushActivityStatements.follow, beginning.parameters(now: now))
            }
        }
        let results = try connection.pipeline(
            watchCalls(judgement) + [
                (PushEvaluationStatements.move, moving(progress)), (PushEvaluationStatements.commit, Parameters()),
            ]
        )
        // A COMMIT in a failed transaction succeeds, as a ROLLBACK.
        guard results.last?.commandTag == "COMMIT" else {
            throw PersistenceError(.malformedReply, "the transaction was rolled back by the server")
        }
    }

    private func watchCalls(_ judgement: PushJudgement) -> [(Statement, Parameters)] {
        var calls: [(Statement, Parameters)] = []
        let kept = judgement.watches.compactMap { session, state in state.map { (session, TextBytes(bytes: $0)) } }
        if !kept.isEmpty {
            var parameters = Parameters(reserving: kept.reduce(64) { $0 + $1.1.bytes.count + 64 })
            parameters.add(array: kept.map(\.0))
            parameters.add(array: kept.map(\.1))
            parameters.add(now)
            calls.append((PushEvaluationStatements.keepWatches, parameters))
        }
        let dropped = judgement.watches.filter { $0.value == nil }.map(\.key)
        if !dropped.isEmpty {
            var parameters = Parameters()
            parameters.add(array: dropped)
            calls.append((PushEvaluationStatements.dropWatches, parameters))
        }
        return calls
    }

    private func moving(_ progress: Progress) -> Parameters {
        var parameters = Parameters()
        parameters.add(progress.epoch)
        parameters.add(progress.seq)
        parameters.add(progress.state.map(TextBytes.init(bytes:)))
        parameters.add(now)
        return parameters
    }
}

extension PushActionPlan {
    func raisedParameters(now: Timestamp) -> Parameters {
        PushActionPlan.parameters(of: raised.map(\.notice), with: raised.map(\.withdrawnBecause), now: now)
    }

    func resolutionParameters(now: Timestamp) -> Parameters {
        PushActionPlan.parameters(of: resolutions.map(\.notice), with: resolutions.map(\.promptKey), now: now)
    }

    private static func parameters(of notices: [NewPushNotice], with texts: [String?], now: Timestamp) -> Parameters {
        var parameters = Parameters(reserving: 512 * notices.count + 64)
        parameters.add(array: notices.map(\.key))
        parameters.add(array: notices.map(\.kind))
        parameters.add(array: notices.map(\.eventSeq))
        parameters.add(array: notices.map(\.eventID))
        parameters.add(array: notices.map(\.sessionID))
        parameters.add(array: notices.map(\.promptKey))
        parameters.add(array: notices.map(\.collapseID))
        parameters.add(array: notices.map { TextBytes(bytes: $0.notice) })
        parameters.add(array: notices.map(\.raisedAt))
        parameters.add(array: notices.map(\.notBefore))
        parameters.add(array: notices.map(\.expiresAt))
        parameters.add(array: texts)
        parameters.add(now)
        return parameters
    }
}

internal import EventModel
internal import Persistence

/// Processes the next page of the log in one transaction: it reads the page, raises and withdraws notices, and moves
/// the position. After any failure the page is processed again.
struct DetectionTransaction {
    /// Seconds. Notices about older events would have expired.
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

    func run(_ detect: (DetectionPage) -> DetectionResult) throws(PersistenceError) -> DetectionOutcome {
        do throws(PersistenceError) {
            return try runInTransaction(detect)
        } catch {
            if !error.isConnectionLost { _ = try? connection.query(DetectionStatements.rollback) }
            throw error
        }
    }

    private func runInTransaction(_ detect: (DetectionPage) -> DetectionResult) throws(PersistenceError)
        -> DetectionOutcome
    {
        var outcome = DetectionOutcome()
        var progress = try begin()
        let events = try pending(&progress, &outcome)
        guard !events.isEmpty else {
            if outcome.skipped > 0 { _ = try connection.query(DetectionStatements.move, moving(progress)) }
            _ = try connection.query(DetectionStatements.commit)
            return outcome
        }
        var page = DetectionPage(events: events)
        page.watches = try watches(of: events)
        let found = detect(page)
        outcome.events = events.count
        progress.seq = events.last?.seq ?? progress.head
        outcome.hasMore = progress.seq < progress.head
        try apply(found, progress, &outcome)
        return outcome
    }

    /// A log of another epoch is processed from its end.
    private func begin() throws(PersistenceError) -> Progress {
        let results = try connection.pipeline([
            (DetectionStatements.begin, Parameters()), (DetectionStatements.progress, Parameters()),
            (DetectionStatements.head, Parameters()),
        ])
        guard results.count == 3, let place = results[1].firstRow, let head = results[2].firstRow else {
            throw PersistenceError(.malformedReply, "the projection 'push' has no row")
        }
        let (epoch, end): (String, Int64) = try head.values()
        let (placeEpoch, seq, state): (String, Int64, [UInt8]?) = try place.values()
        guard placeEpoch == epoch else {
            _ = try connection.query(DetectionStatements.forgetWatches)
            var progress = Progress(epoch: epoch, seq: end, state: nil, head: end)
            _ = try connection.query(DetectionStatements.move, moving(progress))
            progress.head = end
            return progress
        }
        return Progress(epoch: epoch, seq: seq, state: state, head: end)
    }

    /// Returns the next page. Skips events that are too old, and all events if no device is registered.
    private func pending(
        _ progress: inout Progress,
        _ outcome: inout DetectionOutcome
    ) throws(PersistenceError) -> [CommittedEvent] {
        guard progress.seq < progress.head else { return [] }
        guard try connection.query(DetectionStatements.hasListeners).firstValue() == true else {
            try skip(to: progress.head, &progress, &outcome)
            return []
        }
        let events = try events(after: progress.seq)
        let limit = now.adding(seconds: -DetectionTransaction.maximumAgeSeconds)
        guard let oldest = events.first, oldest.event.receivedAt < limit else { return events }
        let bounds = Parameters(of: limit, progress.head)
        let place: Int64? = try connection.query(DetectionStatements.placeBefore, bounds).firstValue()
        try skip(to: max(place ?? 0, oldest.seq), &progress, &outcome)
        return progress.seq < progress.head ? try self.events(after: progress.seq) : []
    }

    private func skip(
        to place: Int64,
        _ progress: inout Progress,
        _ outcome: inout DetectionOutcome
    ) throws(PersistenceError) {
        outcome.skipped += place - progress.seq
        progress.seq = place
        progress.state = nil
        _ = try connection.query(DetectionStatements.forgetWatches)
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
        var watches: [String: [UInt8]] = [:]
        for row in try connection.query(DetectionStatements.watches, Parameters(of: sessions)).rows {
            let (session, state): (String, [UInt8]) = try row.values()
            watches[session] = state
        }
        return watches
    }

    private func apply(
        _ found: DetectionResult,
        _ progress: Progress,
        _ outcome: inout DetectionOutcome
    ) throws(PersistenceError) {
        let plan = ActionPlan(found.actions)
        if !plan.withdrawn.isEmpty {
            let withdrawn = DetectionStatements.withdrawals.arrays(
                plan.withdrawn.map { ($0.promptKey, $0.reason.rawValue) }
            )
            let result = try connection.query(DetectionStatements.withdraw, Parameters(of: withdrawn, now))
            outcome.withdrawn = try result.firstValue() ?? 0
            outcome.ended = try PushTally(result, from: 1)
        }
        try raise(DetectionStatements.raise, plan.raised.map { ($0.notice, $0.withdrawnBecause) }, &outcome)
        let resolutions = plan.withdrawn.compactMap { item in item.resolved.map { ($0, Optional(item.promptKey)) } }
        try raise(DetectionStatements.resolve, resolutions, &outcome)
        if !plan.confirmed.isEmpty {
            let confirmed = Parameters(of: plan.confirmed, now)
            outcome.confirmed = try connection.query(DetectionStatements.confirm, confirmed).firstValue() ?? 0
        }
        outcome.activities = plan.activities.count
        if !plan.activities.isEmpty {
            let columns = LiveActivityStatements.columns
            let update = Parameters(of: columns.arrays(plan.activities), now)
            _ = try connection.query(LiveActivityStatements.update, update)
            let beginning = plan.activities.filter { $0.phase == .waiting }
            if !beginning.isEmpty {
                let follow = Parameters(of: columns.arrays(beginning), now)
                _ = try connection.query(LiveActivityStatements.follow, follow)
            }
        }
        let results = try connection.pipeline(
            watchCalls(found) + [
                (DetectionStatements.move, moving(progress)), (DetectionStatements.commit, Parameters()),
            ]
        )
        // COMMIT in a failed transaction succeeds, but rolls back.
        guard results.last?.commandTag == "COMMIT" else {
            throw PersistenceError(.malformedReply, "the transaction was rolled back by the server")
        }
    }

    /// - Parameter notices: each with the reason if it is already withdrawn, or with the prompt that it resolves.
    private func raise(
        _ statement: Statement,
        _ notices: [DetectionStatements.RaisedNotice],
        _ outcome: inout DetectionOutcome
    ) throws(PersistenceError) {
        guard !notices.isEmpty else { return }
        let parameters = Parameters(of: DetectionStatements.notices.arrays(notices), now)
        guard let row = try connection.query(statement, parameters).firstRow else { return }
        let (raised, deliveries): (Int64, Int64) = try row.values()
        outcome.notices += raised
        outcome.deliveries += deliveries
    }

    private func watchCalls(_ found: DetectionResult) -> [(Statement, Parameters)] {
        var calls: [(Statement, Parameters)] = []
        let kept = found.watches.compactMap { session, state in state.map { (session, TextBytes(bytes: $0)) } }
        if !kept.isEmpty {
            let rows = DetectionStatements.watchColumns.arrays(kept)
            calls.append((DetectionStatements.keepWatches, Parameters(of: rows, now)))
        }
        let dropped = found.watches.filter { $0.value == nil }.map(\.key)
        if !dropped.isEmpty { calls.append((DetectionStatements.dropWatches, Parameters(of: dropped))) }
        return calls
    }

    private func moving(_ progress: Progress) -> Parameters {
        Parameters(of: progress.epoch, progress.seq, progress.state.map(TextBytes.init(bytes:)), now)
    }
}

internal import ClientAPI
internal import EventModel
internal import JSON
internal import Listener
internal import Persistence
internal import Sessions
internal import WSFanout

/// Sends the rows of sessions that have changed to the clients that show lists.
extension LoopHandler {
    /// Call with the sessions of events that were just published.
    func noteRows(of sessions: some Sequence<String?>) {
        guard hub.hasRowFollowers else { return }
        let now = context.steadyClock()
        for case let session? in sessions { rows.changed(session, at: now) }
    }

    /// Call before the hub learns that the log reaches this position, by commits of another server.
    func noteRows(before position: StreamPosition) {
        let head = hub.window.head
        guard hub.hasRowFollowers, position.seq > head else { return }
        Task(executorPreference: context.executor(of: .server)) { [context] in
            // If the database is away, the clients' next reads of the list show what has changed.
            guard let sessions = try? await context.database.store().sessionIDs(after: head, through: position.seq)
            else { return }
            context.loop.post { handler, _ in handler.noteRows(of: sessions) }
        }
    }

    /// Reads the rows that are due, and those that are owed to single followers. At most one read is in progress. Call
    /// at the end of each turn.
    func sendRows(on loop: isolated NetworkLoop) {
        guard hub.hasRowFollowers else { return rows.clear() }
        guard !rows.isReading else { return }
        let now = context.steadyClock()
        let changed = rows.take(at: now)
        let owed = hub.takeOwedRows(atMost: SessionRowSchedule.mostRead)
        if !owed.lists.isEmpty { hub.send(row: LoopHandler.reload, of: nil, to: owed.lists) }
        let reading = RowReading(changed: Set(changed), owed: owed.rows)
        guard !reading.sessions.isEmpty else {
            if let seconds = rows.wait(from: now) { loop.wake(withinMicroseconds: Int64(seconds * 1_000_000) + 1000) }
            return
        }
        rows.readBegins()
        Task(executorPreference: context.executor(of: .server)) { [context] in
            let found = await context.sessions(reading.sessions)
            context.loop.post { handler, _ in handler.send(rows: found, of: reading) }
        }
    }

    /// - Parameter found: `nil` if the database did not answer.
    private func send(rows found: [Session]?, of reading: RowReading) {
        let (now, time) = (context.steadyClock(), context.clock())
        if rows.needsReload {
            hub.send(row: LoopHandler.reload, of: nil)
            rows.reloadSent()
        }
        guard rows.readEnds(), let found else {
            for session in reading.sessions { rows.changed(session, at: now) }
            return
        }
        for session in found {
            let notice = LoopHandler.rowNotice(Session.row.json((session, time)))
            let followers = reading.changed.contains(session.id) ? nil : reading.owed[session.id]
            hub.send(row: notice, of: session.id, to: followers) { filter in
                filter.covers(
                    session: session.id,
                    workspace: session.workspaceID,
                    machine: session.machine,
                    reportedName: session.reportedMachineName
                )
            }
        }
    }

    /// Call when sessions were erased from the store.
    func erased() {
        hub.erased()
        rows.erased()
    }

    private static let reload = rowNotice(Array(#"{"reload":true}"#.utf8))

    private static func rowNotice(_ json: [UInt8]) -> StreamNotice {
        let name = EventType.sessionRow.rawValue
        return StreamNotice(method: "event/\(name)", event: name, json: json)
    }
}

/// One read of rows.
private struct RowReading: Sendable {
    /// The sessions whose rows all followers get.
    let changed: Set<String>
    /// The followers that have not got the rows of these sessions.
    let owed: [String: Set<ChannelID>]

    var sessions: [String] { changed.union(owed.keys).sorted() }
}

extension ServerContext {
    /// Sessions as lists show them. Returns `nil` if the database is away.
    fileprivate func sessions(_ ids: [String]) async -> [Session]? {
        var query = SessionQuery(now: clock(), limit: ids.count)
        query.ids = ids
        query.isArchived = nil
        return try? await database.store().sessionsWithEvidence(query).sessions
    }
}

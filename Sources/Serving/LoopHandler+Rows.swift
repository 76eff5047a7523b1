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

    /// Reads the rows that are due. At most one read is in progress. Call at the end of each turn.
    func sendRows(on loop: isolated NetworkLoop) {
        guard hub.hasRowFollowers else { return rows.clear() }
        guard !isReadingRows else { return }
        let now = context.steadyClock()
        let sessions = rows.take(at: now)
        guard !sessions.isEmpty else {
            if let seconds = rows.wait(from: now) { loop.wake(withinMicroseconds: Int64(seconds * 1_000_000) + 1000) }
            return
        }
        isReadingRows = true
        Task(executorPreference: context.executor(of: .server)) { [context] in
            let found = await context.sessions(sessions)
            context.loop.post { handler, _ in handler.send(rows: found, of: sessions) }
        }
    }

    /// - Parameter found: `nil` if the database did not answer.
    private func send(rows found: [Session]?, of sessions: [String]) {
        isReadingRows = false
        let (now, time) = (context.steadyClock(), context.clock())
        let reload = LoopHandler.rowNotice(Array(#"{"reload":true}"#.utf8))
        if rows.needsReload, hub.send(row: reload, ifCovered: { _ in true }) { rows.reloadSent() }
        var unsent = found == nil ? sessions : []
        for session in found ?? [] {
            let isSent = hub.send(row: LoopHandler.rowNotice(Session.row.json((session, time)))) { filter in
                filter.covers(
                    session: session.id,
                    workspace: session.workspaceID,
                    machine: session.machine,
                    reportedName: session.reportedMachineName
                )
            }
            if !isSent { unsent.append(session.id) }
        }
        for session in unsent { rows.changed(session, at: now) }
    }

    private static func rowNotice(_ json: [UInt8]) -> StreamNotice {
        let name = EventType.sessionRow.rawValue
        return StreamNotice(method: "event/\(name)", event: name, json: json)
    }
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

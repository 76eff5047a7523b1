import EventModel

/// What the database says about a batch, read under the lock of the log's head.
struct LogSnapshot {
    var epoch: String
    var lastSeq: Int64
    /// Those of the batch's ids that are in the log, with their places.
    var known: [EventID: Int64] = [:]
    /// The stored folds of the batch's sessions.
    var folds: [String: [UInt8]] = [:]
}

/// What one transaction adds to the log: places for the events that are new, and their sessions folded.
struct BatchPlan {
    enum Placement: Equatable {
        case fresh(seq: Int64)
        case duplicate(seq: Int64)
    }

    /// One for each event of the batch, in its order.
    private(set) var placements: [Placement] = []
    private(set) var committed: CommittedBatch
    private(set) var folds: [SessionFold] = []

    var fresh: [CommittedEvent] { committed.events }
    var lastSeq: Int64 { fresh.last?.seq ?? 0 }

    /// Places are dense and in the order of the batch. Of events with one id the first counts.
    init(events: ArraySlice<MonitorEvent>, snapshot: LogSnapshot) {
        committed = CommittedBatch(epoch: snapshot.epoch, events: [])
        committed.events.reserveCapacity(events.count)
        placements.reserveCapacity(events.count)
        var known = snapshot.known
        var foldIndex: [String: Int] = [:]
        var next = snapshot.lastSeq + 1
        for event in events {
            if let seq = known[event.id] {
                placements.append(.duplicate(seq: seq))
                continue
            }
            known[event.id] = next
            placements.append(.fresh(seq: next))
            let workspaceID = fold(event, seq: next, stored: snapshot.folds, index: &foldIndex)
            committed.events.append(CommittedEvent(seq: next, event: event, workspaceID: workspaceID))
            next += 1
        }
    }

    /// Returns the workspace that the session is in after the event.
    private mutating func fold(
        _ event: MonitorEvent,
        seq: Int64,
        stored: [String: [UInt8]],
        index: inout [String: Int]
    ) -> String? {
        guard let sessionID = event.sessionID else {
            return event.projectPath.map { WorkspaceID.make(machine: event.machine, path: $0) }
        }
        let place: Int
        if let known = index[sessionID] {
            place = known
        } else {
            place = folds.count
            index[sessionID] = place
            // A fold that cannot be read begins anew: a session's state is worth less than its events.
            let fold = stored[sessionID].flatMap { SessionFold(id: sessionID, stored: $0) }
            folds.append(fold ?? SessionFold(id: sessionID))
        }
        folds[place].apply(event, seq: seq)
        return folds[place].workspaceID
    }

    /// Whether all that this plan adds is in the log, at the very places it gave: then its commit went through.
    func isContained(in known: [EventID: Int64]) -> Bool {
        fresh.allSatisfy { known[$0.event.id] == $0.seq }
    }
}

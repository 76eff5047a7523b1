import EventModel

/// The state from which a batch is planned: read under the lock of the log head, or cached since then.
struct LogSnapshot {
    var epoch: String
    var lastSeq: Int64
    /// The ids of the batch that are already in the log, with their positions.
    var known: [EventID: Int64] = [:]
}

/// What one transaction adds to the log: positions for the new events. If the end of the log is not certain, the
/// positions are a guess, and `moved` returns the plan with those that the database gave.
struct BatchPlan {
    enum Placement: Equatable {
        case fresh(seq: Int64)
        case duplicate(seq: Int64)
    }

    /// The state of a session after the batch.
    struct PlannedSession: Equatable {
        var id: String
        var owner: SessionOwner
        /// Whether the batch begins the session.
        var isNew: Bool
        /// Whether the session's row must be written.
        var isChanged: Bool
    }

    /// One for each event of the batch, in its order.
    private(set) var placements: [Placement] = []
    private(set) var committed: CommittedBatch
    private(set) var sessions: [PlannedSession] = []

    var fresh: [CommittedEvent] { committed.events }
    var lastSeq: Int64 { fresh.last?.seq ?? 0 }

    /// Positions are consecutive and in the order of the batch. If several events have the same id, the first one
    /// counts.
    ///
    /// - Parameter owners: the owners of the batch's sessions before the batch. The first event of any other session
    ///   begins it.
    init(events: ArraySlice<MonitorEvent>, snapshot: LogSnapshot, owners: SessionOwners) {
        committed = CommittedBatch(epoch: snapshot.epoch, events: [])
        committed.events.reserveCapacity(events.count)
        placements.reserveCapacity(events.count)
        var known = snapshot.known
        known.reserveCapacity(known.count + events.count)
        var index: [String: Int] = [:]
        var next = snapshot.lastSeq + 1
        for event in events {
            if let seq = known.updateValue(next, forKey: event.id) {
                known[event.id] = seq
                placements.append(.duplicate(seq: seq))
                continue
            }
            placements.append(.fresh(seq: next))
            let workspaceID = workspace(after: event, owners, index: &index)
            committed.events.append(CommittedEvent(seq: next, event: event, workspaceID: workspaceID))
            next += 1
        }
    }

    /// The session's workspace after the event.
    private mutating func workspace(
        after event: MonitorEvent,
        _ owners: SessionOwners,
        index: inout [String: Int]
    ) -> String? {
        guard let id = event.sessionID else {
            return event.projectPath.map { WorkspaceID.make(machine: event.machine, path: $0) }
        }
        let place: Int
        if let known = index[id] {
            place = known
        } else {
            place = sessions.count
            index[id] = place
            let owner = owners[id]
            sessions.append(
                PlannedSession(
                    id: id,
                    owner: owner ?? SessionOwner(machine: event.machine),
                    isNew: owner == nil,
                    isChanged: owner == nil
                )
            )
        }
        if sessions[place].owner.apply(event) { sessions[place].isChanged = true }
        return sessions[place].owner.workspaceID
    }

    /// The same plan with its first new event at `seq`. Positions before the plan's own are those of earlier commits
    /// and stay.
    func moved(to seq: Int64) -> BatchPlan {
        guard let first = fresh.first?.seq, first != seq else { return self }
        let distance = seq - first
        var moved = self
        moved.committed.events = fresh.map { $0.moved(to: $0.seq + distance) }
        moved.placements = placements.map { placement in
            switch placement {
            case .fresh(let seq): .fresh(seq: seq + distance)
            case .duplicate(let seq): .duplicate(seq: seq < first ? seq : seq + distance)
            }
        }
        return moved
    }

    /// The plan as it was committed, or `nil` if it was not.
    ///
    /// - Parameter seqs: the positions of the plan's new events in the log, in the order of the plan.
    func found(at seqs: [Int64]) -> BatchPlan? {
        guard let first = seqs.first, seqs.count == fresh.count, seqs == Array(first..<first + Int64(seqs.count)) else {
            return nil
        }
        return moved(to: first)
    }
}

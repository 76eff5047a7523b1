import EventModel
import Sessions

/// What is known when a batch is planned: from the database under the lock of the log's head, or remembered since.
struct LogSnapshot {
    var epoch: String
    var lastSeq: Int64
    /// Those of the batch's ids that are in the log, with their places.
    var known: [EventID: Int64] = [:]
}

/// What one transaction adds to the log: places for the events that are new, and their sessions folded.
struct BatchPlan {
    enum Placement: Equatable {
        case fresh(seq: Int64)
        case duplicate(seq: Int64)
    }

    /// A session after the batch's events.
    struct Folded {
        var fold: SessionState
        /// Place of the first event of the batch that was folded in.
        var firstSeq: Int64
        var workspace: Workspace?

        /// A session's workspace follows from the two others, and is told anew only when they change.
        struct Workspace: Equatable {
            var machine: MachineID
            var path: String
            var id: String
        }
    }

    /// One for each event of the batch, in its order.
    private(set) var placements: [Placement] = []
    private(set) var committed: CommittedBatch
    private(set) var folds: [Folded] = []

    var fresh: [CommittedEvent] { committed.events }
    var lastSeq: Int64 { fresh.last?.seq ?? 0 }

    /// Places are dense and in the order of the batch. Of events with one id the first counts.
    ///
    /// - Parameter sessions: the folds of the batch's sessions before it; who is not among them begins anew.
    init(events: ArraySlice<MonitorEvent>, snapshot: LogSnapshot, sessions: SessionMemory) {
        committed = CommittedBatch(epoch: snapshot.epoch, events: [])
        committed.events.reserveCapacity(events.count)
        placements.reserveCapacity(events.count)
        var known = snapshot.known
        known.reserveCapacity(known.count + events.count)
        var foldIndex: [String: Int] = [:]
        var next = snapshot.lastSeq + 1
        for event in events {
            if let seq = known.updateValue(next, forKey: event.id) {
                known[event.id] = seq
                placements.append(.duplicate(seq: seq))
                continue
            }
            placements.append(.fresh(seq: next))
            let workspaceID = fold(event, seq: next, sessions, index: &foldIndex)
            committed.events.append(CommittedEvent(seq: next, event: event, workspaceID: workspaceID))
            next += 1
        }
    }

    /// Returns the workspace that the session is in after the event.
    private mutating func fold(
        _ event: MonitorEvent,
        seq: Int64,
        _ sessions: SessionMemory,
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
            folds.append(sessions.folded(sessionID, from: seq))
        }
        return folds[place].apply(event, seq: seq)
    }

    /// Whether all that this plan adds is in the log, at the very places it gave: then its commit went through.
    func isContained(in known: [EventID: Int64]) -> Bool {
        fresh.allSatisfy { known[$0.event.id] == $0.seq }
    }
}

extension BatchPlan.Folded {
    /// Returns the workspace after the event.
    mutating func apply(_ event: MonitorEvent, seq: Int64) -> String? {
        fold.apply(CommittedEvent(seq: seq, event: event, workspaceID: workspace?.id))
        guard let machine = fold.machineID, let path = fold.projectPath else { return nil }
        if let workspace, workspace.machine == machine, workspace.path == path { return workspace.id }
        workspace = Workspace(machine: machine, path: path, id: WorkspaceID.make(machine: machine, path: path))
        return workspace?.id
    }
}

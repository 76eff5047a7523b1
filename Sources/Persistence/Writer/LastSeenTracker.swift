import EventModel

/// A workspace that a batch used.
struct WorkspaceLastSeen: Equatable {
    var id: String
    var machine: MachineID
    var path: String
    var at: Timestamp

    var name: String { DirectoryPath.lastPart(of: path) }
}

/// A machine that sent events in a batch, and the name that it reported.
struct MachineLastSeen: Equatable {
    var machine: MachineID
    var name: String
    var at: Timestamp
}

/// Which workspaces and machines the writer updates with a batch.
struct LastSeenTracker {
    struct Due {
        var workspaces: [WorkspaceLastSeen] = []
        var machines: [MachineLastSeen] = []
    }

    private var workspaces = LastSeenThrottle<String, String>()
    private var machines = LastSeenThrottle<MachineID, String>()

    /// Uses the newest time of receipt in the batch for each row.
    func due(for plan: BatchPlan) -> Due {
        var newest: [String: Timestamp] = [:]
        var seen: [MachineID: MachineLastSeen] = [:]
        let fresh = plan.fresh
        for index in fresh.indices {
            let at = fresh[index].event.receivedAt
            if let id = fresh[index].workspaceID { newest[id] = max(newest[id] ?? at, at) }
            let machine = fresh[index].event.machine
            let name = fresh[index].event.reportedMachineName ?? fresh[index].event.machineName
            seen[machine] = MachineLastSeen(machine: machine, name: name, at: at)
        }
        var inUse: [String: WorkspaceLastSeen] = [:]
        for owner in plan.sessions.lazy.map(\.owner) {
            guard let id = owner.workspaceID, let path = owner.path?.text, let at = newest[id] else { continue }
            inUse[id] = WorkspaceLastSeen(id: id, machine: owner.machine, path: path, at: at)
        }
        return Due(
            workspaces: inUse.values.filter { workspaces.isDue($0.id, $0.name, at: $0.at) },
            machines: seen.values.filter { machines.isDue($0.machine, $0.name, at: $0.at) }
        )
    }

    /// Call after the commit.
    mutating func wrote(_ due: Due) {
        for lastSeen in due.workspaces { workspaces.wrote(lastSeen.id, lastSeen.name, at: lastSeen.at) }
        for lastSeen in due.machines { machines.wrote(lastSeen.machine, lastSeen.name, at: lastSeen.at) }
    }
}

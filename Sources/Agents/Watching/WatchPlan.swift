package import EventModel
internal import JSON

/// What of a workspace is watched.
package struct WatchedParts: Sendable, Equatable {
    package var files = false
    package var git = false

    package init(files: Bool = false, git: Bool = false) { (self.files, self.git) = (files, git) }

    var isEmpty: Bool { !files && !git }
}

/// Which workspaces the connected agents watch: those that somebody follows, and no others. Pure.
package struct WatchPlan {
    /// A workspace that an agent is to watch.
    package struct Target: Sendable, Equatable {
        package var workspaceID: String
        package var path: String
        package var parts: WatchedParts
    }

    package enum Action: Equatable {
        /// Look the workspaces up, and call `found`.
        case find(Set<String>)
        /// Have the agent watch these and no others, and call `answered`.
        case watch(MachineID, [Target])
    }

    /// The workspaces of one machine that are watched. More are not.
    package static let mostOfMachine = 64

    private enum Place: Equatable {
        case finding
        case unknown
        case found(MachineID, path: String)
    }

    private struct Agent {
        /// `nil`: it has not been told anything since it connected.
        var told: [Target]?
        var telling: [Target]?
        /// The last attempt failed. The next is at a tick.
        var hasFailed = false
    }

    private var places: [String: Place] = [:]
    private var agents: [MachineID: Agent] = [:]
    private var ticks = 0

    package init() {}

    /// Whether there is nothing to do while nobody follows anything.
    package var isIdle: Bool {
        places.isEmpty && agents.values.allSatisfy { ($0.told ?? []).isEmpty && $0.telling == nil }
    }

    /// The machine of a workspace that is followed.
    package func machine(of workspace: String) -> MachineID? {
        guard case .found(let machine, _)? = places[workspace] else { return nil }
        return machine
    }

    /// - Parameters:
    ///   - followed: the workspaces that anybody follows.
    ///   - parts: what those want of a workspace that may look at files and repositories of its machine.
    package mutating func actions(
        followed: Set<String>,
        parts: (_ workspace: String, MachineID) -> WatchedParts
    ) -> [Action] {
        places = places.filter { followed.contains($0.key) }
        let unknown = followed.filter { places[$0] == nil }
        for workspace in unknown { places[workspace] = .finding }
        var actions: [Action] = unknown.isEmpty ? [] : [.find(unknown)]
        for machine in agents.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let agent = agents[machine], agent.telling == nil, !agent.hasFailed else { continue }
            let targets = targets(on: machine, parts)
            guard targets != agent.told ?? [] else { continue }
            agents[machine]?.telling = targets
            actions.append(.watch(machine, targets))
        }
        return actions
    }

    private func targets(on machine: MachineID, _ parts: (String, MachineID) -> WatchedParts) -> [Target] {
        var targets: [Target] = []
        for (workspace, place) in places.sorted(by: { $0.key < $1.key }) {
            guard case .found(machine, let path) = place else { continue }
            let parts = parts(workspace, machine)
            if !parts.isEmpty { targets.append(Target(workspaceID: workspace, path: path, parts: parts)) }
        }
        return Array(targets.prefix(WatchPlan.mostOfMachine))
    }

    /// - Parameter found: the workspaces that exist. `nil`: the database did not answer.
    package mutating func found(_ found: [String: (machine: MachineID, path: String)]?, of asked: Set<String>) {
        for workspace in asked where places[workspace] == .finding {
            places[workspace] = found?[workspace].map { .found($0.machine, path: $0.path) } ?? .unknown
        }
    }

    /// The machine's agent has connected, and watches nothing.
    package mutating func linkBegan(_ machine: MachineID) { agents[machine] = Agent() }

    package mutating func linkEnded(_ machine: MachineID) { agents[machine] = nil }

    package mutating func answered(_ machine: MachineID, isDone: Bool) {
        guard let targets = agents[machine]?.telling else { return }
        agents[machine]?.telling = nil
        agents[machine]?.hasFailed = !isDone
        if isDone { agents[machine]?.told = targets }
    }

    /// Call about once a second: what failed is tried again, and workspaces that were unknown are looked up again.
    package mutating func tick() {
        for machine in agents.keys { agents[machine]?.hasFailed = false }
        ticks += 1
        if ticks % 10 == 0 { places = places.filter { $0.value != .unknown } }
    }
}

extension WatchPlan.Target {
    var json: JSONValue {
        .object([
            ("workspace_id", .string(workspaceID)), ("path", .string(path)), ("files", .bool(parts.files)),
            ("git", .bool(parts.git)),
        ])
    }
}

package import EventModel

/// What a client may have at least one machine do: the machine's agent is connected, the machine's file allows it, and
/// the client has the capability there. What a single machine allows is in the machine's own entry.
package struct MachineAbilities: Sendable, Equatable {
    /// The machines on which sessions are started and ended.
    package private(set) var controlled: [MachineID] = []
    /// Files are read.
    package private(set) var files = false
    /// The words of the machines' files for git.
    package private(set) var git: Set<String> = []

    package init() {}

    package mutating func add(_ may: MachineAgent.Permissions, on machine: MachineID, for principal: Principal) {
        let controls = principal.may(.control, on: machine)
        guard controls || principal.may(.respond, on: machine) else { return }
        files = files || may.files == "read"
        // Each word includes those before it. Only reads are for clients without `control`.
        let words = ["read", "write", "push", "force"]
        let granted = words.firstIndex(of: may.git).map { words[...$0] } ?? []
        git.formUnion(controls ? granted : granted.prefix(1))
        if controls, may.control { controlled.append(machine) }
    }
}

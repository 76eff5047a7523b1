internal import EventModel

/// Which tools a caller may run.
struct ToolReach: Sendable, Equatable {
    /// `nil` means all machines.
    private(set) var machines: Set<MachineID>?
    /// The names of the servers; `nil` means all.
    private(set) var servers: Set<String>?

    /// `nil` if the caller may run no tool. Devices and the operator run what they could have a session run. Programs
    /// need a right of their own, and may be limited to some servers. The key of a machine needs a grant for each
    /// server of its machine.
    ///
    /// - Parameter granted: the names of the servers that a machine's key was granted.
    init?(_ principal: Principal, granted: (MachineGrant) -> Set<String>) {
        if case .machine(let grant) = principal.holder {
            let names = granted(grant)
            guard !names.isEmpty else { return nil }
            (machines, servers) = ([grant.machine], names)
            return
        }
        let sets = [Capability.tools, .control].compactMap(principal.grants.machines(of:))
        guard !sets.isEmpty else { return nil }
        servers = principal.apiKey?.toolkits.map(Set.init)
        var covered: Set<MachineID> = []
        for set in sets {
            guard case .only(let some) = set else { return }
            covered.formUnion(some)
        }
        machines = covered
    }
    func covers(_ machine: MachineID) -> Bool { machines?.contains(machine) ?? true }

    /// - Parameter server: the server's name.
    func covers(_ machine: MachineID, _ server: String) -> Bool {
        covers(machine) && servers?.contains(server) ?? true
    }
}

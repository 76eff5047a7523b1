/// Selects the events, sessions or projects of a machine.
public enum MachineFilter: Sendable, Hashable {
    /// The machine that the key identifies.
    case machine(MachineID)
    /// Everything whose sender reported this name, on any machine. Use it only for names that no machine has: a machine
    /// that reports another machine's name is not selected together with that machine.
    case reported(String)

    public func matches(_ machine: MachineID, reportedName: String?) -> Bool {
        switch self {
        case .machine(let id): id == machine
        case .reported(let name): name == reportedName
        }
    }
}

/// Selects the events, sessions or projects of a machine.
public enum MachineFilter: Sendable, Hashable {
    /// The machine that the key identifies.
    case machine(MachineID)
    /// Everything whose sender called itself so, whichever machine that was. Only for names that no machine has: a
    /// machine that calls itself by another's name is not selected with it.
    case reported(String)

    public func matches(_ machine: MachineID, reportedName: String?) -> Bool {
        switch self {
        case .machine(let id): id == machine
        case .reported(let name): name == reportedName
        }
    }
}

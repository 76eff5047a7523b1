/// What a credential may be allowed to do. No capability implies another.
public enum Capability: String, Sendable, Hashable, CaseIterable {
    /// Post events as the machine of the key. Only machine keys and the admin token have it.
    case post
    /// See and subscribe to events and sessions.
    case read
    /// Answer prompts and send messages to sessions.
    case respond
    /// Drive machines.
    case control
    /// Let the models of machines answer, without tools and files. Only API keys and the admin token have it.
    case chat
    /// Run the tools of machines. Only API keys and the admin token have it.
    case tools
    /// Change keys, devices and settings.
    case administer

    /// Whether the capability is granted for machines: for all of them or for some.
    public var isPerMachine: Bool { self != .read && self != .administer }

    /// The capabilities that a device can be granted.
    public static let ofDevices: [Capability] = [.read, .respond, .control, .administer]

    /// The capabilities that an API key can have. No program answers for a person, or administers.
    public static let ofAPIKeys: [Capability] = [.read, .control, .chat, .tools]
}

/// The machines that a capability covers.
public enum MachineSet: Sendable, Hashable {
    /// All machines, including those added later.
    case all
    case only(Set<MachineID>)

    public func contains(_ machine: MachineID) -> Bool {
        switch self {
        case .all: true
        case .only(let machines): machines.contains(machine)
        }
    }
}

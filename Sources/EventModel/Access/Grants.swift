/// The capabilities of one credential, each with the machines it covers.
public struct Grants: Sendable, Equatable {
    private var held: [Capability: MachineSet]

    public static let none = Grants([:])
    /// Every capability on every machine, as the admin token has.
    public static let everything = Grants(Capability.allCases)

    /// A capability that is not per machine covers all machines, whatever `held` says.
    public init(_ held: [Capability: MachineSet]) {
        self.held = Dictionary(uniqueKeysWithValues: held.map { ($0.key, $0.key.isPerMachine ? $0.value : .all) })
    }

    /// - Parameter machines: of the capabilities that are granted for machines.
    public init(_ capabilities: [Capability], on machines: MachineSet = .all) {
        held = Dictionary(capabilities.map { ($0, $0.isPerMachine ? machines : .all) }) { first, _ in first }
    }

    /// Makes the decision for every route, method and socket.
    /// - Parameter machine: the machine concerned; `nil` asks whether the capability is granted on any machine.
    public func allow(_ capability: Capability, on machine: MachineID? = nil) -> Bool {
        guard let covered = held[capability] else { return false }
        guard let machine else { return true }
        return covered.contains(machine)
    }

    /// In the order of their declaration.
    public var capabilities: [Capability] { Capability.allCases.filter { held[$0] != nil } }

    /// Returns `nil` if the capability is not granted.
    public func machines(of capability: Capability) -> MachineSet? { held[capability] }
}

extension Grants {
    /// Reads what `stored` wrote. Ignores unknown words, which a newer server may have written.
    public init(stored text: String) {
        var held: [Capability: MachineSet] = [:]
        for word in text.split(separator: " ") {
            let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let capability = Capability(rawValue: String(parts[0])) else { continue }
            guard parts.count == 2 else {
                held[capability] = .all
                continue
            }
            let numbers = parts[1].split(separator: ",").compactMap { Int64($0) }
            held[capability] = .only(Set(numbers.map { MachineID(rawValue: $0) }))
        }
        self.init(held)
    }

    /// `read respond:3,7`: words with the numbers of machines. A word without numbers covers all machines.
    public var stored: String {
        capabilities.map { capability in
            guard case .only(let machines)? = held[capability] else { return capability.rawValue }
            let numbers = machines.map(\.rawValue).sorted().map { String($0) }
            return capability.rawValue + ":" + numbers.joined(separator: ",")
        }.joined(separator: " ")
    }
}

/// The rights of a device, and whose device it is.
public struct DeviceRights: Sendable, Equatable {
    /// The name that the device gave itself, or that a person gave it.
    public var name: String
    /// `nil` means that the device belongs to the operator.
    public var owner: String?
    public var grants: Grants

    public init(name: String, owner: String?, grants: Grants) {
        (self.name, self.owner, self.grants) = (name, owner, grants)
    }
}

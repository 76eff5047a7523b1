package import EventModel

/// All valid keys of machines and programs, by the digests of their texts.
package struct KeySet: Sendable {
    let machines: [SHA256Digest: MachineGrant]
    let programs: [SHA256Digest: APIKeyGrant]
    /// The keys of machines that may ask for approvals by themselves.
    let approvers: Set<Int64>
    /// The names of the MCP servers whose tools programs with keys of machines may call. Only keys that have some.
    let toolServers: [Int64: Set<String>]
    private let programsByID: [Int64: APIKeyGrant]

    package init(
        machines: [(digest: SHA256Digest, grant: MachineGrant)] = [],
        programs: [(digest: SHA256Digest, grant: APIKeyGrant)] = [],
        approvers: Set<Int64> = [],
        toolServers: [Int64: Set<String>] = [:]
    ) {
        (self.approvers, self.toolServers) = (approvers, toolServers)
        self.machines = Dictionary(machines.map { ($0.digest, $0.grant) }) { first, _ in first }
        self.programs = Dictionary(programs.map { ($0.digest, $0.grant) }) { first, _ in first }
        programsByID = Dictionary(programs.map { ($0.grant.id, $0.grant) }) { first, _ in first }
    }

    func program(_ id: Int64) -> APIKeyGrant? { programsByID[id] }
}

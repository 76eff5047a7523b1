package import EventModel
package import HTTPModel

/// What a caller's tools may read: what the caller's credential reads by REST, and with a machine's key that machine.
enum ToolScope: Sendable, Equatable {
    case everything
    case machine(MachineGrant)

    init(_ principal: Principal) throws(APIError) {
        if case .machine(let grant) = principal.holder {
            self = .machine(grant)
        } else {
            guard principal.may(.read) else { throw .insufficientScope(principal.lacking(.read)) }
            self = .everything
        }
    }

    func covers(_ tool: Tool) -> Bool { self == .everything || tool.bound != .closed }
}

/// What tools ask of the server besides routes.
package struct ToolPorts: Sendable {
    /// The sender with its present rights, or `nil` if it is no longer admitted.
    package var current: @Sendable (Principal) -> Principal?
    private let machineOfSession: @Sendable (String) async throws(APIError) -> MachineID
    private let machineNamed: @Sendable (String) async throws(APIError) -> MachineID?
    /// For durations and deadlines.
    package var steadyClock: @Sendable () -> Timestamp

    package init(
        current: @escaping @Sendable (Principal) -> Principal?,
        machineOfSession: @escaping @Sendable (String) async throws(APIError) -> MachineID,
        machineNamed: @escaping @Sendable (String) async throws(APIError) -> MachineID?,
        steadyClock: @escaping @Sendable () -> Timestamp
    ) {
        (self.current, self.machineOfSession) = (current, machineOfSession)
        (self.machineNamed, self.steadyClock) = (machineNamed, steadyClock)
    }

    /// The machine of a session. Throws 404 if there is no such session.
    package func machine(ofSession id: String) async throws(APIError) -> MachineID { try await machineOfSession(id) }

    /// The machine that has this name, or this number.
    package func machine(named name: String) async throws(APIError) -> MachineID? { try await machineNamed(name) }
}

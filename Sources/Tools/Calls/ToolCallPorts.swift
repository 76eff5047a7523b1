package import API
package import EventModel
package import HTTPModel
package import JSON
package import MachinePolicy

/// What other parts of the server do for calls of tools.
package struct ToolCallPorts: Sendable {
    /// What the machine's agent is told.
    package struct Call: Sendable {
        package var id: String
        package var server: String
        package var scope: String
        package var tool: String
        /// The SHA-256 of the tool's pinned definition; `nil` if only the tool's name is known.
        package var digest: String?
        package var arguments: JSONValue
        /// The session whose process makes the call; `nil` for a process that only runs tools.
        package var sessionID: String?
        package var machine: MachineID
        package var machineName: String
        /// The directory, on the machine.
        package var path: String
        package var actor: Actor
        /// The name of the principal in the audit log.
        package var caller: String
        /// The server's id.
        package var serverID: String
        /// The account whose login is used; `nil` for the login that all share, and empty for none.
        package var account: String?

        /// Whether the monitor itself makes the call.
        package var isRemote: Bool { machine == .monitor }

        /// What the calls share: the machine, or the remote server.
        var place: String { isRemote ? serverID : String(machine.rawValue) }
    }

    package typealias Ask = @Sendable (Call, _ seconds: Double) async throws(APIError) -> Void
    package typealias Run = @Sendable (Call) async throws(APIError) -> (result: JSONValue, bytes: Int64)
    package typealias Approval =
        @Sendable (_ call: String, MachineID, _ begun: Timestamp) async throws(APIError) -> ToolApproval?

    /// - Parameter words: who may answer, as a hook says it.
    package typealias AskPerson = @Sendable (Call, _ seconds: Double, _ words: String) async throws(APIError) -> Void

    /// Has the agent ask a person. Returns when the call is approved.
    private let asks: Ask
    /// Asks a person about a call of a remote tool. Returns when the call is approved.
    let askPerson: AskPerson
    /// What the file `tools.policy` says now.
    let policy: @Sendable () -> ToolPolicy
    /// Has the agent make an approved call, once.
    let run: Run
    /// The approval that the log has; `nil` if it has none.
    let approval: Approval
    /// The caller with its present rights; `nil` if it is no longer admitted.
    let current: @Sendable (Principal) -> Principal?
    /// The names of the servers whose tools programs with a machine's key may call.
    let granted: @Sendable (MachineGrant) -> Set<String>
    /// The session in which Claude Code makes a call, by its id for that call.
    let session: @Sendable (_ toolUseID: String, MachineID) async throws(APIError) -> String?
    /// Has the agent ask no longer. Does nothing if it does not ask.
    let withdraw: @Sendable (Call) async -> Void

    package init(
        ask: @escaping Ask,
        askPerson: @escaping AskPerson,
        policy: @escaping @Sendable () -> ToolPolicy,
        run: @escaping Run,
        approval: @escaping Approval,
        current: @escaping @Sendable (Principal) -> Principal?,
        granted: @escaping @Sendable (MachineGrant) -> Set<String>,
        session: @escaping @Sendable (_ toolUseID: String, MachineID) async throws(APIError) -> String?,
        withdraw: @escaping @Sendable (Call) async -> Void
    ) {
        (asks, self.askPerson, self.policy) = (ask, askPerson, policy)
        (self.run, self.approval, self.current) = (run, approval, current)
        (self.granted, self.session, self.withdraw) = (granted, session, withdraw)
    }

    func reach(of principal: Principal) -> ToolReach? { ToolReach(principal, granted: granted) }

    package func ask(about call: Call, seconds: Double) async throws(APIError) { try await asks(call, seconds) }
}

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
        /// As the audit log names principals.
        package var caller: String
        /// The server's id.
        package var serverID: String

        /// Whether the monitor itself makes the call.
        package var isRemote: Bool { machine == .monitor }
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
    /// Whether the caller may still run tools of the machine.
    let admits: @Sendable (Principal, MachineID) -> Bool

    package init(
        ask: @escaping Ask,
        askPerson: @escaping AskPerson,
        policy: @escaping @Sendable () -> ToolPolicy,
        run: @escaping Run,
        approval: @escaping Approval,
        admits: @escaping @Sendable (Principal, MachineID) -> Bool
    ) {
        (asks, self.askPerson, self.policy) = (ask, askPerson, policy)
        (self.run, self.approval, self.admits) = (run, approval, admits)
    }

    package func ask(about call: Call, seconds: Double) async throws(APIError) { try await asks(call, seconds) }
}

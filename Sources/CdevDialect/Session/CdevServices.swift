package import EventModel
package import RPC
package import Sessions
package import Transcripts

/// What the deferred methods use. Errors are safe to send to a client.
package struct CdevServices: Sendable {
    let log: any CdevLog
    let sessions: any CdevSessions
    let workspaces: any CdevWorkspaces
    let prompts: any CdevPrompts
    /// Returns `nil` if no agent is connected there.
    let start: @Sendable (RPCStart) async throws(RPCError) -> Session?
    /// Returns `nil` if no agent is connected there, or it cannot say.
    let discover: @Sendable (RPCDiscovery) async throws(RPCError) -> RPCDiscovery.Result?
    /// Returns a JSON object.
    let files: @Sendable (RPCFileCall) async throws(RPCError) -> [UInt8]
    /// Returns a JSON object.
    let git: @Sendable (RPCGitCall) async throws(RPCError) -> [UInt8]
    /// What is known of a workspace's repository and may be told. Asks nobody.
    let tracker: @Sendable (_ workspaceID: String, Principal) -> RPCTracker?
    /// The same. Asks the machine's agent if nothing is known.
    let track: @Sendable (_ workspaceID: String, Principal) async -> RPCTracker?
    /// Returns a JSON object.
    let push: @Sendable (RPCPushCall) async throws(RPCError) -> [UInt8]
    let clock: @Sendable () -> Timestamp

    package init(
        log: any CdevLog,
        sessions: any CdevSessions,
        workspaces: any CdevWorkspaces,
        prompts: any CdevPrompts,
        start: @escaping @Sendable (RPCStart) async throws(RPCError) -> Session? = { _ in nil },
        discover: @escaping @Sendable (RPCDiscovery) async throws(RPCError) -> RPCDiscovery.Result? = { _ in nil },
        files: @escaping @Sendable (RPCFileCall) async throws(RPCError) -> [UInt8] = { call throws(RPCError) in
            throw .agentNotConfigured(call.method)
        },
        git: @escaping @Sendable (RPCGitCall) async throws(RPCError) -> [UInt8] = { call throws(RPCError) in
            throw .agentNotConfigured(call.method)
        },
        tracker: @escaping @Sendable (_ workspaceID: String, Principal) -> RPCTracker? = { _, _ in nil },
        track: @escaping @Sendable (_ workspaceID: String, Principal) async -> RPCTracker? = { _, _ in nil },
        push: @escaping @Sendable (RPCPushCall) async throws(RPCError) -> [UInt8],
        clock: @escaping @Sendable () -> Timestamp
    ) {
        (self.log, self.sessions, self.workspaces) = (log, sessions, workspaces)
        (self.prompts, self.start, self.discover) = (prompts, start, discover)
        (self.files, self.git, self.tracker, self.track) = (files, git, tracker, track)
        (self.push, self.clock) = (push, clock)
    }
}

package protocol CdevLog: Sendable {
    func bounds() async throws(RPCError) -> LogBounds
    func events(_ query: EventQuery) async throws(RPCError) -> EventPage
    /// The number of all matching events. Ignores the query's limit and offset.
    func eventCount(_ query: EventQuery) async throws(RPCError) -> Int64
    /// The conversation according to the session's transcript.
    func conversation(_ query: ConversationQuery) async throws(RPCError) -> ConversationPage
}

package protocol CdevSessions: Sendable {
    func sessions(_ query: SessionQuery) async throws(RPCError) -> SessionPage
    func session(id: String) async throws(RPCError) -> Session?
    func deleteSession(id: String) async throws(RPCError) -> Bool
}

package protocol CdevWorkspaces: Sendable {
    /// Finds the machine of a key by the key's name or the machine's number. Returns `nil` if there is none.
    func machine(named name: String) async throws(RPCError) -> MachineID?
    func machines() async throws(RPCError) -> [MachineRecord]
    func workspaces() async throws(RPCError) -> WorkspacePage
    func workspace(id: String) async throws(RPCError) -> WorkspaceRecord?
    /// - Parameter name: if `nil`, an existing workspace keeps its name, and a new one is named after its path.
    /// - Parameter autoStart: if `nil`, an existing workspace keeps it.
    func addWorkspace(
        machine: MachineID,
        path: String,
        name: String?,
        autoStart: Bool?
    ) async throws(RPCError) -> WorkspaceRecord?
    /// What is `nil` stays as it is.
    func changeWorkspace(id: String, name: String?, autoStart: Bool?) async throws(RPCError) -> WorkspaceRecord?
    func removeWorkspace(id: String) async throws(RPCError) -> Bool
}

package protocol CdevPrompts: Sendable {
    /// What these open prompts ask, as people see it, by the prompt's id. Content beyond a limit is left out and marked
    /// as truncated.
    func contents(of prompts: [Prompt]) async throws(RPCError) -> [String: PromptContent]
    /// Sends an answer or a message to a session. It is durable when this returns.
    func respond(_ response: RPCResponse) async throws(RPCError)
    /// Ends the turn of a session. Returns whether it has ended; if not, it ends at its next tool.
    func stop(_ sessionID: String, by principal: Principal) async throws(RPCError) -> Bool
    /// Asks a person and waits. The task may be cancelled.
    func ask(_ request: RPCPermissionRequest) async throws(RPCError) -> RPCPermissionDecision
}

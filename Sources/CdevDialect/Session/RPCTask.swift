public import EventModel
public import RPC
package import Sessions
package import Transcripts
public import WSFanout

/// A call that another component has to carry out. `RPCSession.finish` answers it by its token, in any order.
public struct RPCTask: Sendable {
    public let token: Int64
    public let method: String
    public let params: RPCParams
    let clientID: String
    let dialect: Dialect
    let context: RPCContext
    /// Whether the task is cancelled when the client's socket closes. Other tasks are carried out anyway.
    public let endsWithSocket: Bool
    let query: RPCMethod.Query

    /// Asks the store. May run on any thread.
    package func run(
        on store: any RPCStore,
        clock: @escaping @Sendable () -> Timestamp
    ) async -> Result<RPCAnswer, RPCError> {
        do throws(RPCError) {
            let asked = RPCQuery(
                params: params,
                clientID: clientID,
                dialect: dialect,
                context: context,
                store: store,
                clock: clock
            )
            return .success(try await query(asked))
        } catch {
            return .failure(error)
        }
    }
}

/// A request to a method that uses the store.
public struct RPCQuery: Sendable {
    /// Limit for the payloads of one answer, far below what a client may leave unread.
    static let maxPayloadBytes = 512 << 10

    public let params: RPCParams
    public let clientID: String
    let dialect: Dialect
    /// The context at the time of the call.
    public let context: RPCContext
    package let store: any RPCStore
    public let clock: @Sendable () -> Timestamp
}

/// What the server knows at the time of a call.
public struct RPCContext: Sendable {
    public var window: StreamWindow
    public var serverVersion: String
    /// Whether events can be committed now.
    public var isHealthy: Bool
    public var now: Timestamp
    public var uptimeSeconds: Int64
    public var connectedClients: Int
    /// `running`, `waiting` or `idle`, as heartbeats report it.
    public var claudeStatus: String
    public var presence: Presence
    /// The client of the socket, with its present capabilities.
    public var principal: Principal

    public init(
        window: StreamWindow,
        serverVersion: String,
        isHealthy: Bool,
        now: Timestamp,
        uptimeSeconds: Int64 = 0,
        connectedClients: Int = 0,
        claudeStatus: String = "idle",
        presence: Presence = Presence(),
        principal: Principal
    ) {
        self.window = window
        self.serverVersion = serverVersion
        self.isHealthy = isHealthy
        self.now = now
        self.uptimeSeconds = uptimeSeconds
        self.connectedClients = connectedClients
        self.claudeStatus = claudeStatus
        self.presence = presence
        self.principal = principal
    }
}

/// The database as the methods see it. Errors are safe to send to a client.
package protocol RPCStore: Sendable {
    func bounds() async throws(RPCError) -> LogBounds
    func events(_ query: EventQuery) async throws(RPCError) -> EventPage
    /// The number of all matching events. Ignores the query's limit and offset.
    func eventCount(_ query: EventQuery) async throws(RPCError) -> Int64
    /// The conversation according to the session's transcript.
    func conversation(_ query: ConversationQuery) async throws(RPCError) -> ConversationPage
    func sessions(_ query: SessionQuery) async throws(RPCError) -> SessionPage
    func session(id: String) async throws(RPCError) -> Session?
    func deleteSession(id: String) async throws(RPCError) -> Bool
    /// Finds the machine of a key by the key's name or the machine's number. Returns `nil` if there is none.
    func machine(named name: String) async throws(RPCError) -> MachineID?
    func machines() async throws(RPCError) -> [MachineRecord]
    func workspaces() async throws(RPCError) -> WorkspacePage
    func workspace(id: String) async throws(RPCError) -> WorkspaceRecord?
    /// - Parameter name: if `nil`, an existing workspace keeps its name, and a new one is named after its path.
    func addWorkspace(machine: MachineID, path: String, name: String?) async throws(RPCError) -> WorkspaceRecord?
    func renameWorkspace(id: String, name: String) async throws(RPCError) -> WorkspaceRecord?
    func removeWorkspace(id: String) async throws(RPCError) -> Bool
    /// What these open prompts ask, as people see it, by the prompt's id. Content beyond a limit is left out and marked
    /// as truncated.
    func contents(of prompts: [Prompt]) async throws(RPCError) -> [String: PromptContent]
    /// Sends an answer or a message to a session. It is durable when this returns.
    func respond(_ response: RPCResponse) async throws(RPCError)
    /// Ends the turn of a session. Returns whether it has ended; if not, it ends at its next tool.
    func stop(_ sessionID: String, by principal: Principal) async throws(RPCError) -> Bool
    /// Asks a person and waits. The task may be cancelled.
    func ask(_ request: RPCPermissionRequest) async throws(RPCError) -> RPCPermissionDecision
    /// Returns a JSON object.
    func push(_ call: RPCPushCall) async throws(RPCError) -> [UInt8]
}

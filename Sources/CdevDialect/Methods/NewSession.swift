import EventModel
import JSON
import RPC
import Sessions
import WSFanout

/// A session that a message starts: the mode `new` of `session/send` and `agent/run`.
enum NewSession {
    case started(Session, named: String?)
    case failed(RPCError, named: String?, workspaceID: String)

    /// Starts a session with the message. A named session that has had no turn gets the message itself.
    ///
    /// - Parameter place: the workspace, if the client names neither one nor a session.
    /// - Returns: `nil` if the named session takes the message.
    static func with(
        _ text: String,
        _ call: CdevQuery,
        _ method: String,
        orIn place: String? = nil
    ) async throws(RPCError) -> NewSession? {
        let named = try call.params.first(of: "session_id", "sessionId")
        var session: Session?
        if let named { session = try await call.services.sessions.session(id: named) }
        if let session, session.messageCount == 0, session.endedAt == nil { return nil }
        let asked = try call.params.first(of: "workspace_id", "workspaceId")
        guard call.context.hasAgents else { throw .agentNotConfigured(method, sessionID: named) }
        guard let workspaceID = asked ?? session?.workspaceID ?? place else {
            throw .invalidParameter("workspace_id", "is required")
        }
        var start = RPCStart(principal: call.context.principal, method: method, workspaceID: workspaceID)
        start.permissionMode = try call.params.string("permission_mode")
        start.prompt = text
        do throws(RPCError) {
            guard let started = try await call.services.start(start) else {
                throw .agentNotConfigured(method, sessionID: named)
            }
            return .started(started, named: named)
        } catch {
            return .failed(error, named: named, workspaceID: workspaceID)
        }
    }

    func answer(to call: CdevQuery, _ result: (Session) -> RPCResult) -> RPCAnswer<CdevHost> {
        switch self {
        case .started(let session, let named):
            RPCAnswer(result(session), actions: session.chosen(by: call) + [.resolved(named, as: session)])
        case .failed(let error, let named, let workspaceID):
            RPCAnswer(error, actions: [.failed(named, in: workspaceID, error)])
        }
    }
}

extension Session {
    /// The client that starts or opens a session chooses it for the session's workspace.
    func chosen(by call: CdevQuery) -> [CdevHost.Action] {
        guard let workspaceID else { return [] }
        let place = PresencePlace(workspaceID: workspaceID, sessionID: id)
        return [.hub(.presence(.activate(place), of: call.state.clientID))]
    }
}

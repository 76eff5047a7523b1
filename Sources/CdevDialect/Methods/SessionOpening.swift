import EventModel
import JSON
import RPC
import Sessions

/// `session/start`: starts Claude Code where the machine's agent is connected. Elsewhere it opens a session that
/// exists, because cdev's clients use this method to open a workspace in which no session runs.
enum SessionOpening {
    private static let name = "session/start"

    private static let description = RPCDescription(
        "Starts or continues a session where the machine's agent is connected. Opens a session that runs, or, without "
            + "an agent, the latest of a workspace where none runs.",
        [
            .placeWorkspaceID, .text("session_id", "Which to open or continue.").also("resume_session_id"),
            .permissionMode, .flag("yolo_mode", "Ignored: the machine decides what is asked."),
            .text("agent_type", "Of which kind."),
        ],
        as: opened,
        errors: [.agentNotConfigured, .notAllowed]
    )

    static let start = CdevMethod.query(name, description) { call async throws(RPCError) in
        let now = call.clock()
        let asked = try call.params.first(of: "session_id", "resume_session_id")
        guard try call.params.string("agent_type") ?? "claude" == "claude" else {
            throw .agentNotConfigured(name, sessionID: asked)
        }
        var named: Session?
        if let asked { named = try await call.services.sessions.session(id: asked) }
        if let named, call.view(named, now: now).isRunning || named.isInReach(now: now) {
            return answer(named, isStarted: false, asked, call, now: now)
        }
        let workspaceID = try call.params.first(of: "workspace_id", "workspaceId")
        // A client that may not start a session may still open one.
        var refusal = RPCError.agentNotConfigured(name, sessionID: asked)
        do throws(RPCError) {
            if let started = try await started(call, in: workspaceID, resuming: named, asked) {
                return answer(started, isStarted: true, asked, call, now: now)
            }
        } catch {
            guard error.data?["reason"] == .string("insufficient_scope") else {
                return RPCAnswer(error, actions: [.failed(asked, in: workspaceID ?? "", error)])
            }
            refusal = error
        }
        let existing = asked == nil ? try await latest(call, now: now) : named
        guard let existing else { throw refusal }
        return answer(existing, isStarted: false, asked, call, now: now)
    }

    private typealias Opened = (view: SessionView, isStarted: Bool, isCdev: Bool)

    private static let opened = ObjectShape<Opened>("OpenedSession") { it in
        it.member("id") { $0.view.session.id }
        it.member("session_id") { $0.view.session.id }
        it.member("workspace_id") { $0.view.session.workspaceID ?? "" }
        it.member("status", as: JSONSchema.words("existing", "started", "running")) {
            $0.isStarted ? ($0.isCdev ? "started" : "running") : "existing"
        }
        it.member("source", as: JSONSchema.words("live", "managed", "")) {
            $0.isStarted ? "managed" : $0.view.isRunning ? "live" : ""
        }
        it.constant("agent_type", "claude")
        it.member("started_at") { $0.view.session.startedAt }
        it.member("last_active") { $0.view.session.lastActivityAt }
        it.member("has_pending_permission") {
            $0.view.isRunning && !$0.view.session.pendingPermissions.isEmpty
        }
        it.member("message") { $0.isStarted ? "Claude Code was started." : "This session exists." }
    }

    private static func answer(
        _ session: Session,
        isStarted: Bool,
        _ asked: String?,
        _ call: CdevQuery,
        now: Timestamp
    ) -> RPCAnswer<CdevHost> {
        let isCdev = call.dialect == .cdev
        var actions = session.chosen(by: call)
        if isCdev { actions.append(.remind(.session(session.id))) }
        if isStarted { actions.append(.resolved(asked, as: session)) }
        return RPCAnswer(RPCResult(opened, (call.view(session, now: now), isStarted, isCdev)), actions: actions)
    }

    /// Returns `nil` if no agent is connected there.
    private static func started(
        _ call: CdevQuery,
        in workspaceID: String?,
        resuming session: Session?,
        _ asked: String?
    ) async throws(RPCError) -> Session? {
        guard let workspaceID, call.context.hasAgents else { return nil }
        // To begin an empty session in place of the one that the client wants to continue would surprise a person.
        if session == nil, call.params.has("resume_session_id") {
            throw .invalidParameter("resume_session_id", "names no session")
        }
        let start = RPCStart(
            principal: call.context.principal,
            method: name,
            workspaceID: session?.workspaceID ?? workspaceID,
            resume: session?.id,
            sessionID: session == nil ? asked.flatMap(EventID.init).map(\.description) : nil,
            permissionMode: try call.params.string("permission_mode")
        )
        return try await call.services.start(start)
    }

    /// The latest session of a workspace where none runs.
    private static func latest(_ call: CdevQuery, now: Timestamp) async throws(RPCError) -> Session? {
        let workspaceID = try call.params.required("workspace_id", "workspaceId")
        guard try await call.runningSessions(in: workspaceID, now: now).isEmpty else { return nil }
        var query = SessionQuery(now: now, limit: 1)
        query.workspaceID = workspaceID
        return try await call.services.sessions.sessions(query).sessions.first
    }
}

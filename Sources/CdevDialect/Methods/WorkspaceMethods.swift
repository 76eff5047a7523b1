import EventModel
import JSON
import RPC
import Sessions
import WSFanout

/// `workspace/list`, `workspace/get`, `workspace/status`, `workspace/cache/invalidate`.
enum WorkspaceMethods {
    static let all = [list, get, status, invalidateCache]

    /// The maximum number of sessions of a workspace that a list shows in addition to the running ones.
    private static let listedSessions = 200

    static let list = CdevMethod.query(
        "workspace/list",
        "The 500 latest active workspaces with their latest sessions.",
        [
            .flag("include_git", "Whether `git` is said where it is known; usually true."),
            .integer("git_limit", 0...100_000, "The workspaces for which `git` is said; usually all."),
        ],
        as: ObjectShape<(workspaces: [WorkspaceView], total: Int64)>("WorkspaceList") { it in
            it.list("workspaces", of: WorkspaceView.shape) { $0.workspaces }
            it.member("count") { $0.workspaces.count }
            it.member("total") { $0.total }
        }
    ) { call async throws(RPCError) in
        let now = call.clock()
        let page = try await call.services.workspaces.workspaces()
        let recent = try await call.services.sessions.sessions(SessionQuery(now: now, limit: listedSessions)).sessions
        let running = try await call.runningSessions(now: now)
        var sessions: [String: [Session]] = [:]
        let known = Set(recent.map(\.id))
        for session in recent + running.filter({ !known.contains($0.id) }) {
            if let workspace = session.workspaceID { sessions[workspace, default: []].append(session) }
        }
        let most = try call.params.integer("git_limit", in: 0...100_000) ?? .max
        let limit = try call.params.boolean("include_git") ?? true ? most : 0
        let views = page.workspaces.enumerated().map { index, workspace in
            var entry = view(workspace, sessions[workspace.id] ?? [], call, now)
            if index >= limit { entry.tracker?.git = nil }
            return entry
        }
        return (views, page.total)
    }

    static let get = CdevMethod.query(
        "workspace/get",
        "One workspace.",
        [.workspaceID],
        as: WorkspaceView.shape
    ) { call async throws(RPCError) in try await load(call) }

    static let status = CdevMethod.query(
        "workspace/status",
        "A workspace and its running sessions.",
        [.workspaceID],
        as: WorkspaceView.status
    ) { call async throws(RPCError) in
        var view = try await load(call)
        view.tracker = await call.services.track(view.workspace.id, call.context.principal)
        view.watched = call.context.presence.watchedSession(in: view.workspace.id, for: call.state.clientID)
        return view
    }

    /// Has no effect, because there is no cache.
    private static let invalidateCache = CdevMethod.immediate(
        "workspace/cache/invalidate",
        "Nothing is cached, so nothing happens.",
        as: ObjectShape<Void>("CacheInvalidated") { it in
            it.member("success") { _ in true }
            it.constant("status", "ok")
        }
    ) { _ in }

    private static func load(_ call: CdevQuery) async throws(RPCError) -> WorkspaceView {
        let now = call.clock()
        let workspace = try await call.workspace(try call.params.workspaceID())
        var query = SessionQuery(now: now, limit: listedSessions)
        query.workspaceID = workspace.id
        return view(workspace, try await call.services.sessions.sessions(query).sessions, call, now)
    }

    static func view(
        _ workspace: WorkspaceRecord,
        _ sessions: [Session],
        _ call: CdevQuery,
        _ now: Timestamp
    ) -> WorkspaceView {
        WorkspaceView(
            workspace: workspace,
            sessions: sessions.map { call.view($0, now: now) },
            chosen: call.context.presence.activeSession(in: workspace.id, for: call.state.clientID),
            tracker: call.services.tracker(workspace.id, call.context.principal)
        )
    }
}

extension RPCParams {
    /// The workspace id, in any of its spellings.
    func workspaceID() throws(RPCError) -> String { try required("workspace_id", "id", "workspaceId") }

    func sessionID() throws(RPCError) -> String { try required("session_id", "sessionId", "id") }

    func place() throws(RPCError) -> PresencePlace {
        PresencePlace(
            workspaceID: try required("workspace_id", "workspaceId"),
            sessionID: try required("session_id", "sessionId")
        )
    }
}

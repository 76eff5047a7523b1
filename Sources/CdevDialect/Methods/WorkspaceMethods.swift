import EventModel
import JSON
import RPC
import Sessions
import WSFanout

/// `workspace/list`, `workspace/get`, `workspace/status`, `workspace/cache/invalidate`.
enum WorkspaceMethods {
    static let all = [list, get, status, invalidateCache]

    /// Sessions of a workspace that a list shows beside the running ones, at most.
    private static let listedSessions = 200

    static let list = RPCMethod.query(
        "workspace/list",
        RPCDescription(
            "The 500 latest active workspaces with their latest sessions.",
            [
                .flag("include_git", "Taken; this server sees no repositories."),
                .integer("git_limit", 0...100_000, "Taken; this server sees no repositories."),
            ],
            as: "WorkspaceList"
        )
    ) { call async throws(RPCError) in
        let now = call.clock()
        let page = try await call.store.workspaces()
        let recent = try await call.store.sessions(SessionQuery(now: now, limit: listedSessions)).sessions
        let running = try await call.runningSessions(now: now)
        var sessions: [String: [Session]] = [:]
        let known = Set(recent.map(\.id))
        for session in recent + running.filter({ !known.contains($0.id) }) {
            if let workspace = session.workspaceID { sessions[workspace, default: []].append(session) }
        }
        return RPCResult { writer in
            writer.beginArray("workspaces")
            for workspace in page.workspaces {
                shape(workspace, sessions[workspace.id] ?? [], call, now).write(to: &writer)
            }
            writer.endArray()
            writer.field("count", page.workspaces.count)
            writer.field("total", page.total)
        }
    }

    static let get = RPCMethod.query(
        "workspace/get",
        RPCDescription("One workspace.", [.workspaceID], as: "Workspace")
    ) { call async throws(RPCError) in
        let shape = try await load(call)
        return .object(shape.write)
    }

    static let status = RPCMethod.query(
        "workspace/status",
        RPCDescription("A workspace and its running sessions.", [.workspaceID], as: "WorkspaceStatus")
    ) { call async throws(RPCError) in
        let shape = try await load(call)
        let watched = call.context.presence.watchedSession(in: shape.workspace.id, for: call.clientID)
        return RPCResult { shape.writeStatus(watched: watched, to: &$0) }
    }

    /// There is no cache to be stale.
    private static let invalidateCache = RPCMethod.immediate(
        "workspace/cache/invalidate",
        RPCDescription("Nothing is cached, so nothing happens.", as: "CacheInvalidated")
    ) { _ in
        RPCResult { writer in
            writer.field("success", true)
            writer.field("status", "ok")
        }
    }

    private static func load(_ call: RPCQuery) async throws(RPCError) -> WorkspaceShape {
        let now = call.clock()
        let workspace = try await call.workspace(try call.params.workspaceID())
        var query = SessionQuery(now: now, limit: listedSessions)
        query.workspaceID = workspace.id
        return shape(workspace, try await call.store.sessions(query).sessions, call, now)
    }

    static func shape(
        _ workspace: WorkspaceRecord,
        _ sessions: [Session],
        _ call: RPCQuery,
        _ now: Timestamp
    ) -> WorkspaceShape {
        WorkspaceShape(
            workspace: workspace,
            sessions: sessions.map { call.shape($0, now: now) },
            chosen: call.context.presence.activeSession(in: workspace.id, for: call.clientID)
        )
    }
}

extension RPCParams {
    /// In either of its spellings.
    func workspaceID() throws(RPCError) -> String { try required("workspace_id", "id", "workspaceId") }

    func sessionID() throws(RPCError) -> String { try required("session_id", "sessionId", "id") }

    func place() throws(RPCError) -> PresencePlace {
        PresencePlace(
            workspaceID: try required("workspace_id", "workspaceId"),
            sessionID: try required("session_id", "sessionId")
        )
    }
}

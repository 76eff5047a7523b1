import EventModel
import JSON
import RPC
import Sessions

/// `session/list`, `session/get`, `session/info`, `session/active`, `session/state`, `session/history`,
/// `workspace/session/history`.
enum SessionMethods {
    static let all = [
        list, one("session/get"), one("session/info"), one("session/state"), active, history("session/history"),
        history("workspace/session/history"),
    ]

    static let list = RPCMethod.query(
        "session/list",
        RPCDescription("Sessions, the latest active first.", [.anyWorkspaceID] + paging, as: "SessionList")
    ) { call async throws(RPCError) in
        try await page(call, workspaceID: try call.params.string("workspace_id"))
    }

    private static let paging: [RPCParameter] = [
        .agentType, .integer("limit", 0...100_000, "At most 200; usually 50."), .offset,
    ]

    static let active = RPCMethod.query(
        "session/active",
        RPCDescription(
            "Sessions that run, the latest active first, at most 200.",
            [.anyWorkspaceID],
            as: "ActiveSessions"
        )
    ) { call async throws(RPCError) in
        let now = call.clock()
        let workspaceID = try call.params.string("workspace_id")
        let sessions = try await call.runningSessions(in: workspaceID, now: now)
        return RPCResult { writer in
            writer.beginArray("sessions")
            for session in sessions { call.shape(session, now: now).write(to: &writer) }
            writer.endArray()
            writer.field("total", sessions.count)
        }
    }

    private static func one(_ method: String) -> RPCMethod {
        RPCMethod.query(
            method,
            RPCDescription(
                "A session and its state.",
                [.sessionID],
                as: "SessionState",
                errors: [.sessionNotFound]
            ),
            run: { call async throws(RPCError) in
                let shape = call.shape(try await call.session(try call.params.sessionID()), now: call.clock())
                return RPCResult { writer in
                    shape.writeFields(to: &writer)
                    shape.writeState(to: &writer)
                }
            }
        )
    }

    private static func history(_ method: String) -> RPCMethod {
        RPCMethod.query(
            method,
            RPCDescription(
                "A workspace's sessions, the latest active first.",
                [.workspaceID] + paging,
                as: "SessionList"
            ),
            run: { call async throws(RPCError) in
                try await page(call, workspaceID: try call.params.workspaceID())
            }
        )
    }

    /// At most 200; `total` says how many there are.
    private static func page(_ call: RPCQuery, workspaceID: String?) async throws(RPCError) -> RPCResult {
        let now = call.clock()
        let isClaude = try call.params.string("agent_type").map { $0 == "claude" || $0 == "all" } ?? true
        let limit = try call.params.integer("limit", in: 0...100_000).flatMap { $0 > 0 ? $0 : nil } ?? 50
        var query = SessionQuery(now: now, limit: Int(min(limit, 200)))
        query.offset = Int(try call.params.integer("offset", in: 0...Int64(Int32.max)) ?? 0)
        query.workspaceID = workspaceID
        let page =
            isClaude ? try await call.store.sessions(query) : SessionPage(sessions: [], hasMore: false, total: 0)
        return RPCResult { writer in
            writer.beginArray("sessions")
            for session in page.sessions { call.shape(session, now: now).write(to: &writer) }
            writer.endArray()
            writer.field("total", page.total ?? Int64(page.sessions.count))
            writer.field("has_more", page.hasMore)
        }
    }
}

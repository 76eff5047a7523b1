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

    static let list = CdevMethod.query(
        "session/list",
        "Sessions, the latest active first.",
        [.anyWorkspaceID] + paging,
        as: listed
    ) { call async throws(RPCError) in
        try await page(call, workspaceID: try call.params.string("workspace_id"))
    }

    private static let paging: [RPCParameter] = [
        .agentType, .integer("limit", 0...100_000, "At most 200; usually 50."), .offset,
    ]

    static let active = CdevMethod.query(
        "session/active",
        "Sessions that run, the latest active first, at most 200.",
        [.anyWorkspaceID],
        as: ObjectShape<[SessionView]>("ActiveSessions") { it in
            it.list("sessions", of: SessionView.shape) { $0 }
            it.member("total") { $0.count }
        }
    ) { call async throws(RPCError) in
        let now = call.clock()
        let workspaceID = try call.params.string("workspace_id")
        return try await call.runningSessions(in: workspaceID, now: now).map { call.view($0, now: now) }
    }

    private static func one(_ method: String) -> CdevMethod {
        CdevMethod.query(
            method,
            "A session and its state.",
            [.sessionID],
            as: SessionView.state,
            errors: [.sessionNotFound],
            run: { call async throws(RPCError) in
                call.view(try await call.session(try call.params.sessionID()), now: call.clock())
            }
        )
    }

    private static func history(_ method: String) -> CdevMethod {
        CdevMethod.query(
            method,
            "A workspace's sessions, the latest active first.",
            [.workspaceID] + paging,
            as: listed,
            run: { call async throws(RPCError) in
                try await page(call, workspaceID: try call.params.workspaceID())
            }
        )
    }

    private typealias Listed = (sessions: [SessionView], total: Int64, hasMore: Bool)

    private static let listed = ObjectShape<Listed>("SessionList") { it in
        it.list("sessions", of: SessionView.shape) { $0.sessions }
        it.member("total") { $0.total }
        it.member("has_more") { $0.hasMore }
    }

    /// A page of at most 200 sessions; `total` is the number of all sessions.
    private static func page(_ call: CdevQuery, workspaceID: String?) async throws(RPCError) -> Listed {
        let now = call.clock()
        let isClaude = try call.params.string("agent_type").map { $0 == "claude" || $0 == "all" } ?? true
        let limit = try call.params.integer("limit", in: 0...100_000).flatMap { $0 > 0 ? $0 : nil } ?? 50
        var query = SessionQuery(now: now, limit: Int(min(limit, 200)))
        query.offset = Int(try call.params.integer("offset", in: 0...Int64(Int32.max)) ?? 0)
        query.workspaceID = workspaceID
        let none = SessionPage(sessions: [], next: nil, total: 0)
        let page = isClaude ? try await call.services.sessions.sessions(query) : none
        let sessions = page.sessions.map { call.view($0, now: now) }
        return (sessions, page.total, page.next != nil)
    }
}

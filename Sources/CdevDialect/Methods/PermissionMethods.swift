import EventModel
import JSON
import RPC
import Sessions

/// `permission/pending`, `permission/stats`: the prompts that wait for a person, derived from the sessions.
enum PermissionMethods {
    static let all = [pending, stats]

    /// The maximum number of requests that are looked up. Those of the most recently active sessions come first.
    private static let maxListed = 50

    static let pending = CdevMethod.query(
        "permission/pending",
        "The first 50 permissions that wait, of the 200 latest active of the running sessions.",
        [.anySessionID],
        as: ObjectShape<(requests: [Request], total: Int)>("PendingPermissions") { it in
            it.list("requests", of: Request.shape) { $0.requests }
            it.member("count") { $0.requests.count }
            it.member("total") { $0.total }
        },
        run: { call async throws(RPCError) in
            let only = try call.params.string("session_id")
            let waiting = try await call.runningSessions(now: call.clock())
                .filter { only == nil || $0.id == only }
                .flatMap(\.pendingPermissions)
            let listed = Array(waiting.prefix(maxListed))
            let contents = try await call.services.prompts.contents(of: listed)
            return (listed.map { Request(prompt: $0, content: contents[$0.id]) }, waiting.count)
        }
    )

    static let stats = CdevMethod.query(
        "permission/stats",
        "How many permissions wait, of the 200 latest active of the running sessions.",
        as: ObjectShape<SessionPage>("PermissionStatistics") { it in
            it.member("pending") { $0.pending }
            it.member("pending_requests") { $0.pending }
            it.member("waiting_sessions") { $0.sessions.count { $0.state == .waiting } }
            it.member("running_sessions") { $0.sessions.count }
            it.member("total") { $0.total }
        }
    ) { call async throws(RPCError) in
        var query = SessionQuery(now: call.clock(), limit: 200)
        query.isRunning = true
        query.offset = 0
        return try await call.services.sessions.sessions(query)
    }

    /// An open request with the input of its tool.
    private struct Request {
        let prompt: Prompt
        let content: PromptContent?

        static let shape = ObjectShape<Request>("PermissionRequest") { it in
            it.member("tool_use_id") { $0.prompt.toolUseID }
            it.member("session_id") { $0.prompt.sessionID }
            it.member("workspace_id") { $0.prompt.workspaceID ?? "" }
            it.member("tool_name") { $0.prompt.toolName ?? "" }
            it.custom("tool_input", JSONSchema.any) { request, writer in
                writer.raw(request.content?.toolInput ?? Array("{}".utf8))
            }
            it.member("masked") { $0.content?.masked ?? [] }
            it.member("content_truncated") { $0.content?.isTruncated ?? false }
            it.member("created_at") { $0.prompt.openedAt }
            it.member("seq") { $0.prompt.openingSeq }
        }
    }
}

extension SessionPage {
    fileprivate var pending: Int { sessions.reduce(0) { $0 + $1.pendingPermissions.count } }
}

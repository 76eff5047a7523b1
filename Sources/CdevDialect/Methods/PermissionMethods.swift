import EventModel
import JSON
import RPC
import Sessions

/// `permission/pending`, `permission/stats`: what waits for a person, told from the sessions.
enum PermissionMethods {
    static let all = [pending, stats]

    /// Requests that are looked up, the latest active sessions' first.
    private static let maxListed = 50

    static let pending = RPCMethod.query(
        "permission/pending",
        RPCDescription(
            "The first 50 permissions that wait, of the 200 latest active of the running sessions.",
            [.anySessionID],
            as: "PendingPermissions"
        ),
        run: { call async throws(RPCError) in
            let only = try call.params.string("session_id")
            let waiting = try await call.runningSessions(now: call.clock())
                .filter { only == nil || $0.id == only }
                .flatMap(\.pendingPermissions)
            var requests: [Request] = []
            for prompt in waiting.prefix(maxListed) { requests.append(try await request(of: prompt, call)) }
            return RPCResult { writer in
                writer.beginArray("requests")
                for request in requests { request.write(to: &writer) }
                writer.endArray()
                writer.field("count", requests.count)
                writer.field("total", waiting.count)
            }
        }
    )

    static let stats = RPCMethod.query(
        "permission/stats",
        RPCDescription(
            "How many permissions wait, of the 200 latest active of the running sessions.",
            as: "PermissionStatistics"
        )
    ) { call async throws(RPCError) in
        var query = SessionQuery(now: call.clock(), limit: 200)
        query.isRunning = true
        query.offset = 0
        let running = try await call.store.sessions(query)
        let waiting = running.sessions.filter { $0.state == .waiting }
        return RPCResult { writer in
            let pending = running.sessions.reduce(0) { $0 + $1.pendingPermissions.count }
            writer.field("pending", pending)
            writer.field("pending_requests", pending)
            writer.field("waiting_sessions", waiting.count)
            writer.field("running_sessions", running.sessions.count)
            writer.field("total", running.total)
        }
    }

    /// An open request with the input of its tool, as the log has it.
    private struct Request {
        let prompt: Prompt
        let input: JSONValue

        func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.field("tool_use_id", prompt.toolUseID)
            writer.field("session_id", prompt.sessionID)
            writer.field("workspace_id", prompt.workspaceID ?? "")
            writer.field("tool_name", prompt.toolName ?? "")
            writer.field("tool_input", input)
            writer.field("created_at", prompt.openedAt.description)
            writer.field("seq", prompt.openingSeq)
            writer.endObject()
        }
    }

    private static func request(of prompt: Prompt, _ call: RPCQuery) async throws(RPCError) -> Request {
        var query = EventQuery(limit: 1)
        query.sessionID = prompt.sessionID
        query.after = prompt.openingSeq - 1
        query.before = prompt.openingSeq + 1
        let opening = try await call.store.events(query).events.first
        return Request(prompt: prompt, input: opening?.event.payloadValue["tool_input"] ?? .object([]))
    }
}

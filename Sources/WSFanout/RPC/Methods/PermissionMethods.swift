import EventModel
import JSON

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
            let waiting = try await call.waitingSessions().filter { only == nil || $0.id == only }
            var requests: [Request] = []
            for session in waiting.prefix(maxListed) { requests.append(try await request(of: session, call)) }
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
            writer.field("pending", waiting.filter(\.waitsForPermission).count)
            writer.field("pending_requests", waiting.filter(\.waitsForPermission).count)
            writer.field("waiting_sessions", waiting.count)
            writer.field("running_sessions", running.sessions.count)
            writer.field("total", running.total)
        }
    }

    /// A session's open request with the input of its tool, as the log has it.
    private struct Request {
        let session: Session
        let event: CommittedEvent?

        func write(to writer: inout JSONWriter) {
            let payload = event?.event.payloadValue ?? .object([])
            let id = event.map { PermissionNotices.requestID($0.event, payload) }
            writer.beginObject()
            writer.field("tool_use_id", id ?? session.waitingFor?.toolUseID ?? session.id)
            writer.field("session_id", session.id)
            writer.field("workspace_id", session.workspaceID ?? "")
            writer.field("tool_name", session.waitingFor?.toolName ?? event?.event.toolName ?? "")
            writer.field("tool_input", payload["tool_input"] ?? .object([]))
            writer.field("created_at", (session.waitingFor?.since ?? session.lastActivityAt).description)
            writer.field("seq", event?.seq)
            writer.endObject()
        }
    }

    private static func request(of session: Session, _ call: RPCQuery) async throws(RPCError) -> Request {
        var query = EventQuery(limit: 10)
        query.sessionID = session.id
        query.types = [EventType(.known(.permissionRequest))]
        query.isDescending = true
        let events = try await call.store.events(query).events
        let since = session.waitingFor?.since
        return Request(session: session, event: events.first { $0.event.timestamp == since } ?? events.first)
    }
}

extension RPCQuery {
    fileprivate func waitingSessions() async throws(RPCError) -> [Session] {
        try await runningSessions(now: clock()).filter(\.waitsForPermission)
    }
}

extension Session {
    fileprivate var waitsForPermission: Bool { state == .waiting && waitingFor?.kind == .permission }
}

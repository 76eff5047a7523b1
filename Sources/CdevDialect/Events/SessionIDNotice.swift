package import EventModel
import JSON
import RPC
import Sessions
import WSFanout

/// Tells the client that has asked for a session under which id the session runs, or that it does not. It has no place
/// in the log.
package struct SessionIDNotice: Sendable, Equatable {
    enum Outcome: Sendable, Equatable {
        case resolved(String)
        /// - Parameter reason: the error code that the REST interface uses.
        case failed(reason: String, message: String)
    }

    /// The id that the client has named. If it has named none, the session's own, or nothing if there is no session.
    let temporaryID: String
    let workspaceID: String
    let outcome: Outcome

    /// The notification as a WebSocket text frame.
    package func frame(at time: Timestamp) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("jsonrpc", "2.0")
        switch outcome {
        case .resolved(let id):
            writer.field("method", "event/session_id_resolved")
            writer.key("params")
            SessionIDNotice.resolved.write((self, id, time), to: &writer)
        case .failed(let reason, let message):
            writer.field("method", "event/session_id_failed")
            writer.key("params")
            SessionIDNotice.failed.write((self, reason, message, time), to: &writer)
        }
        writer.endObject()
        return WebSocketFrame.text(writer.bytes)
    }

    private typealias Resolved = (notice: SessionIDNotice, realID: String, time: Timestamp)
    private typealias Failed = (notice: SessionIDNotice, reason: String, message: String, time: Timestamp)

    private static let resolved = ObjectShape<Resolved>("SessionIDResolved") { it in
        it.constant("event", "session_id_resolved")
        it.member("timestamp") { $0.time }
        it.member("workspace_id") { $0.notice.workspaceID }
        it.member("session_id") { $0.realID }
        it.constant("agent_type", "claude")
        it.object("payload") { it in
            it.member("temporary_id") { $0.notice.temporaryID }
            it.member("real_id") { $0.realID }
            it.member("workspace_id") { $0.notice.workspaceID }
            // The file is on the machine, where no client can read it.
            it.member("session_file") { "\($0.realID).jsonl" }
        }
    }

    private static let failed = ObjectShape<Failed>("SessionIDFailed") { it in
        it.constant("event", "session_id_failed")
        it.member("timestamp") { $0.time }
        it.member("workspace_id") { $0.notice.workspaceID }
        it.member("session_id") { $0.notice.temporaryID }
        it.constant("agent_type", "claude")
        it.object("payload") { it in
            it.member("temporary_id") { $0.notice.temporaryID }
            it.member("workspace_id") { $0.notice.workspaceID }
            it.member("reason") { $0.reason }
            it.member("message") { $0.message }
        }
    }

    static let definitions = resolved.definitions + failed.definitions
}

extension CdevHost.Action {
    /// What the client gets after the answer.
    static func resolved(_ temporaryID: String?, as session: Session) -> CdevHost.Action {
        .tell(
            SessionIDNotice(
                temporaryID: temporaryID ?? session.id,
                workspaceID: session.workspaceID ?? "",
                outcome: .resolved(session.id)
            )
        )
    }

    /// What the client gets beside the error.
    static func failed(_ temporaryID: String?, in workspaceID: String, _ error: RPCError) -> CdevHost.Action {
        let reason = error.data?["reason"]?.string ?? "start_failed"
        return .tell(
            SessionIDNotice(
                temporaryID: temporaryID ?? "",
                workspaceID: workspaceID,
                outcome: .failed(reason: reason, message: error.message)
            )
        )
    }
}

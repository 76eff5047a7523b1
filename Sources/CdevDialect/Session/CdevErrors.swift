import JSON
package import RPC

/// cdev's own error codes that this server uses.
extension RPCError {
    /// cdev's AgentNotConfigured. Nothing on this server can perform the method, so a retry does not help.
    package static func agentNotConfigured(_ method: String, sessionID: String? = nil) -> RPCError {
        let session = sessionID.map { [("session_id", JSONValue.string($0))] } ?? []
        return RPCError(
            code: -32004,
            message: "No agent is connected: \(method) needs one on the machine",
            data: .object([("agent_type", .string("claude")), ("operation", .string(method))] + session)
        )
    }

    /// AgentNotConfigured with a reason of its own: the session cannot be reached.
    package static func notReachable(_ reason: String, _ method: String, sessionID: String?) -> RPCError {
        var error = agentNotConfigured(method, sessionID: sessionID)
        error.message = reason
        return error
    }

    /// cdev's AgentNotRunning.
    package static func agentNotRunning(_ method: String) -> RPCError {
        RPCError(
            code: -32002,
            message: "No session runs",
            data: .object([("agent_type", .string("claude")), ("operation", .string(method))])
        )
    }

    /// By these words cdev's clients know that they have to resume the session first.
    package static func sessionNotRunning(_ id: String) -> RPCError {
        RPCError(
            code: -32602,
            message: "session not running: \(id) "
                + "(use session/start with resume_session_id to resume historical sessions)",
            data: .object([("reason", .string("session_not_running")), ("session_id", .string(id))])
        )
    }

    package static func sessionNotFound(_ id: String) -> RPCError {
        RPCError(
            code: -32010,
            message: "Session not found: \(id)",
            data: .object([("session_id", .string(id)), ("agent_type", .string("claude"))])
        )
    }

    package static func workspaceNotFound(_ id: String) -> RPCError {
        RPCError(
            code: -32602,
            message: "Workspace not found: \(id)",
            data: .object([("param", .string("workspace_id")), ("workspace_id", .string(id))])
        )
    }
}

/// cdev's error codes for files.
extension RPCError {
    /// - Parameter reason: the error code that the REST interface uses.
    package static func file(_ what: String, reason: String, _ method: String) -> RPCError? {
        let codes: [String: Int64] = ["file_not_found": -32020, "file_too_large": -32021, "outside_roots": -32022]
        guard let code = codes[reason] else { return nil }
        return RPCError(
            code: code,
            message: what,
            data: .object([("reason", .string(reason)), ("operation", .string(method))])
        )
    }
}

extension RPCErrorKind {
    static let fileNotFound = RPCErrorKind(
        "FileNotFound",
        .file("There is no file /home/dev/app/a.", reason: "file_not_found", "workspace/file/get")
            ?? .internalError("the file")
    )
    static let outsideRoots = RPCErrorKind(
        "OutsideRoots",
        .file("/etc is not below a root of this machine.", reason: "outside_roots", "workspace/file/get")
            ?? .internalError("the file")
    )
    package static let agentNotConfigured = RPCErrorKind("AgentNotConfigured", .agentNotConfigured("agent/run"))
    package static let agentNotRunning = RPCErrorKind("AgentNotRunning", .agentNotRunning("agent/stop"))
    package static let sessionNotFound = RPCErrorKind("SessionNotFound", .sessionNotFound("id"))

    /// In the order of the document.
    static let all: [RPCErrorKind] = [
        .invalidRequest, .invalidParams, .internalError, .unavailable, .agentNotRunning, .agentNotConfigured,
        .notAllowed, .sessionNotFound, .fileNotFound, .outsideRoots, .notARepository, .gitFailed, .gitConflict,
    ]
}

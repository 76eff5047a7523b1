public import EventModel
public import JSON

/// An error of JSON-RPC 2.0 section 5.1. The message is for people and holds nothing secret.
public struct RPCError: Error, Sendable, Equatable {
    public var code: Int64
    public var message: String
    public var data: JSONValue?

    public init(code: Int64, message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    public static func parseError() -> RPCError {
        RPCError(code: -32700, message: "Parse error: the message is not JSON")
    }

    public static func invalidRequest(_ what: String) -> RPCError {
        RPCError(code: -32600, message: "Invalid request: \(what)")
    }

    /// A valid request at the wrong time: JSON-RPC has no code of its own for it, `data.reason` tells it apart.
    public static func notInitialized() -> RPCError {
        RPCError(
            code: -32600,
            message: "Invalid request: call initialize first",
            data: .object([("reason", .string("not_initialized"))])
        )
    }

    public static func methodNotFound() -> RPCError {
        RPCError(code: -32601, message: "Method not found")
    }

    public static func invalidParameter(_ name: String, _ what: String) -> RPCError {
        RPCError(
            code: -32602,
            message: "\(name) \(what)",
            data: .object([("param", .string(name))])
        )
    }

    public static func internalError(_ what: String) -> RPCError {
        RPCError(code: -32603, message: "Internal error: \(what)")
    }

    /// cdev's AgentNotConfigured. Nothing on this server can do it, so a retry does not help.
    public static func agentNotConfigured(_ method: String, sessionID: String? = nil) -> RPCError {
        let session = sessionID.map { [("session_id", JSONValue.string($0))] } ?? []
        return RPCError(
            code: -32004,
            message: "No agent is configured: \(method) needs one on the machine, and this server only watches",
            data: .object([("agent_type", .string("claude")), ("operation", .string(method))] + session)
        )
    }

    /// The credential lacks the capability. A retry helps when it was granted.
    public static func lacking(_ capability: Capability, _ principal: Principal, _ method: String) -> RPCError {
        notAllowed(principal.lacking(capability), reason: "insufficient_scope", method)
    }

    /// - Parameter reason: a code as REST would give it.
    public static func notAllowed(_ what: String, reason: String, _ method: String) -> RPCError {
        RPCError(
            code: -32005,
            message: "Not allowed: \(what)",
            data: .object([("reason", .string(reason)), ("operation", .string(method))])
        )
    }

    public static func sessionNotFound(_ id: String) -> RPCError {
        RPCError(
            code: -32010,
            message: "Session not found: \(id)",
            data: .object([("session_id", .string(id)), ("agent_type", .string("claude"))])
        )
    }

    public static func workspaceNotFound(_ id: String) -> RPCError {
        RPCError(
            code: -32602,
            message: "Workspace not found: \(id)",
            data: .object([("param", .string("workspace_id")), ("workspace_id", .string(id))])
        )
    }

    /// The store cannot be reached. A retry helps.
    public static func unavailable() -> RPCError {
        RPCError(
            code: -32000,
            message: "The database cannot be reached now",
            data: .object([("retry", .bool(true))])
        )
    }

    /// A retry helps, when some answers have come.
    public static func busy() -> RPCError {
        RPCError(code: -32000, message: "Too many calls at a time", data: .object([("retry", .bool(true))]))
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("code", code)
        writer.field("message", message)
        if let data { writer.field("data", data) }
        writer.endObject()
    }
}

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
            message: "Invalid params: \(name) \(what)",
            data: .object([("param", .string(name))])
        )
    }

    public static func internalError(_ what: String) -> RPCError {
        RPCError(code: -32603, message: "Internal error: \(what)")
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

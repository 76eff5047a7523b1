package import EventModel
package import JSON

/// An error of JSON-RPC 2.0 section 5.1. The message is for people and contains nothing secret.
package struct RPCError: Error, Sendable, Equatable {
    package var code: Int64
    package var message: String
    package var data: JSONValue?

    package init(code: Int64, message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// The `error` of a response.
    init(received json: JSONValue) {
        guard let code = json["code"]?.integer, let message = json["message"]?.string else {
            self = .invalidResponse()
            return
        }
        self.init(code: code, message: message, data: json["data"])
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("code", code)
        writer.field("message", message)
        if let data { writer.field("data", data) }
        writer.endObject()
    }
}

/// The codes of the standard.
extension RPCError {
    package static func parseError() -> RPCError {
        RPCError(code: -32700, message: "Parse error: the message is not JSON")
    }

    package static func invalidRequest(_ what: String) -> RPCError {
        RPCError(code: -32600, message: "Invalid request: \(what)")
    }

    /// A valid request at the wrong time. JSON-RPC has no separate code for it, so `data.reason` distinguishes it.
    package static func notInitialized() -> RPCError {
        RPCError(
            code: -32600,
            message: "Invalid request: call initialize first",
            data: .object([("reason", .string("not_initialized"))])
        )
    }

    package static func methodNotFound() -> RPCError {
        RPCError(code: -32601, message: "Method not found")
    }

    package static func invalidParameter(_ name: String, _ what: String) -> RPCError {
        RPCError(
            code: -32602,
            message: "\(name) \(what)",
            data: .object([("param", .string(name))])
        )
    }

    /// The answer is larger than clients accept. The caller must ask for less.
    static func answerTooLarge(bytes: Int, limit: Int) -> RPCError {
        RPCError(
            code: -32602,
            message: "The answer has \(bytes) bytes; a message has at most \(limit). Ask for less, or use REST",
            data: .object([("reason", .string("answer_too_large"))])
        )
    }

    package static func internalError(_ what: String) -> RPCError {
        RPCError(code: -32603, message: "Internal error: \(what)")
    }

    /// The other end answered a call of this end with something other than a JSON-RPC 2.0 response.
    package static func invalidResponse() -> RPCError {
        .internalError("the answer holds neither a result nor an error")
    }
}

/// Codes of this server, from -32000 to -32099.
extension RPCError {
    /// The database cannot be reached. The caller may retry.
    package static func unavailable() -> RPCError {
        RPCError(
            code: -32000,
            message: "The database cannot be reached now",
            data: .object([("retry", .bool(true))])
        )
    }

    /// Too many calls are waiting for an answer. The caller may retry after some of them have been answered.
    package static func busy() -> RPCError {
        RPCError(code: -32000, message: "Too many calls at a time", data: .object([("retry", .bool(true))]))
    }

    /// The connection is closed.
    package static func disconnected() -> RPCError {
        RPCError(code: -32000, message: "The connection was closed", data: .object([("retry", .bool(true))]))
    }

    /// The credential lacks the capability. The caller may retry after the capability has been granted.
    package static func lacking(_ capability: Capability, _ principal: Principal, _ method: String) -> RPCError {
        notAllowed(principal.lacking(capability), reason: "insufficient_scope", method)
    }

    /// - Parameter reason: the error code that the REST interface uses.
    package static func notAllowed(_ what: String, reason: String, _ method: String) -> RPCError {
        RPCError(
            code: -32005,
            message: "Not allowed: \(what)",
            data: .object([("reason", .string(reason)), ("operation", .string(method))])
        )
    }
}

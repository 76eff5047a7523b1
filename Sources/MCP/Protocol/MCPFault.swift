internal import HTTPModel
internal import JSON
internal import RPC

/// A message that is refused, with the status of the answer.
struct MCPFault: Error, Equatable {
    var status: Int
    var error: RPCError
    /// The request's id, or null if there is none that may be echoed.
    var id = JSONValue.null

    var response: HTTPResponse { .json(status: status, RPCReplies.response(id, .failure(error))) }
}

/// The codes that the protocol adds to those of JSON-RPC.
extension RPCError {
    static func headerMismatch(_ what: String) -> RPCError {
        RPCError(code: MCPNames.headerMismatch, message: "Header mismatch: \(what)")
    }

    static func unsupportedVersion(_ requested: String) -> RPCError {
        let supported = MCPVersion.stateless.map { JSONValue.string($0.rawValue) }
        return RPCError(
            code: MCPNames.unsupportedVersion,
            message: "Unsupported protocol version",
            data: .object([("supported", .array(supported)), ("requested", .string(String(requested.prefix(64))))])
        )
    }

    static func invalidParams(_ what: String) -> RPCError { RPCError(code: -32602, message: "Invalid params: \(what)") }

    /// - Parameter name: the caller's own text.
    static func unknownTool(_ name: String) -> RPCError {
        RPCError(code: -32602, message: "Unknown tool: \(PlainText.line(name, atMost: 128))")
    }
}

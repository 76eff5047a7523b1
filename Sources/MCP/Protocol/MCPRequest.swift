internal import JSON
internal import RPC

/// A request that may be carried out.
struct MCPRequest: Sendable, Equatable {
    /// A string or an integer.
    var id: JSONValue
    var version: MCPVersion
    var method: MCPMethod

    var reply: MCPReply { MCPReply(id: id, version: version) }
}

/// What the form of an answer depends on.
struct MCPReply: Sendable, Equatable {
    /// The request's id.
    var id: JSONValue
    var version: MCPVersion
}

enum MCPMethod: Sendable, Equatable {
    case discover
    case initialize
    case ping
    case listTools
    case callTool(ToolCall)

    init(_ method: String, _ params: JSONValue, _ version: MCPVersion) throws(RPCError) {
        switch (method, version.isStateless) {
        case ("server/discover", true): self = .discover
        case ("initialize", false): self = .initialize
        case ("ping", false): self = .ping
        case ("tools/list", _):
            // There is one page.
            guard params["cursor"] == nil || params["cursor"] == .null else {
                throw .invalidParams("cursor is not one of this list")
            }
            self = .listTools
        case ("tools/call", _): self = .callTool(try ToolCall(params))
        default: throw .methodNotFound()
        }
    }
}

struct ToolCall: Sendable, Equatable {
    var name: String
    /// An object.
    var arguments: JSONValue
    /// A string or an integer, if the client wants to hear of the call's progress.
    var progressToken: JSONValue?
    /// Claude's id of the call, if the client is Claude Code.
    var toolUseID: String?

    /// Bytes of a token, which each notification repeats. The progress of calls with longer ones is not told.
    private static let mostTokenBytes = 1024

    init(_ params: JSONValue) throws(RPCError) {
        guard let name = params["name"]?.string else { throw .invalidParams("name is not a string") }
        self.name = name
        arguments = params["arguments"] ?? .object([])
        guard arguments.isObject else { throw .invalidParams("arguments is not an object") }
        switch params["_meta"]?["progressToken"] {
        case .string(let token)? where token.utf8.count <= ToolCall.mostTokenBytes: progressToken = .string(token)
        case .integer(let token)?: progressToken = .integer(token)
        default: progressToken = nil
        }
        toolUseID = params["_meta"]?["claudecode/toolUseId"]?.string
    }
}

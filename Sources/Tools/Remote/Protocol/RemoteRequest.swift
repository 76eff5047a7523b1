internal import HTTPClient
internal import JSON
internal import RPC
internal import Signing

/// A request or a notification to a remote server, in the form of a dialect. Pure.
struct RemoteRequest: Sendable {
    private static let ownName = "claude-code-monitor"

    var method: String
    var params: [(String, JSONValue)] = []
    /// `nil` for a notification.
    var id: Int64?
    var progressToken: Int64?
    /// Arguments that headers repeat, by the headers' names.
    var mirrored: [(name: String, value: String)] = []

    static func discover(id: Int64) -> RemoteRequest { RemoteRequest(method: "server/discover", id: id) }

    /// - Parameter version: of this program.
    static func initialize(id: Int64, version: String) -> RemoteRequest {
        RemoteRequest(
            method: "initialize",
            params: [
                ("protocolVersion", .string(MCPVersion.newestLegacy.rawValue)), ("capabilities", .object([])),
                ("clientInfo", clientInfo(version)),
            ],
            id: id
        )
    }

    static func list(id: Int64, cursor: String?) -> RemoteRequest {
        RemoteRequest(method: "tools/list", params: cursor.map { [("cursor", .string($0))] } ?? [], id: id)
    }

    static func call(_ tool: String, _ arguments: JSONValue, id: Int64) -> RemoteRequest {
        RemoteRequest(
            method: "tools/call",
            params: [("name", .string(tool)), ("arguments", arguments)],
            id: id,
            progressToken: id
        )
    }

    /// Older servers go on with a call when its connection closes.
    static func cancelled(_ id: Int64) -> RemoteRequest {
        RemoteRequest(
            method: "notifications/cancelled",
            params: [("requestId", .integer(id)), ("reason", .string("The caller no longer waits."))]
        )
    }

    /// - Parameters:
    ///   - headers: the server's own, such as credentials.
    ///   - version: of this program.
    func outbound(
        to location: HTTPLocation,
        _ dialect: RemoteDialect?,
        headers: [(name: String, value: String)],
        version: String
    ) -> OutboundRequest {
        var request = OutboundRequest(.post, location, body: body(dialect, version))
        for (name, value) in headers { request.set(name, value) }
        request.set("Content-Type", "application/json")
        request.set("Accept", "application/json, text/event-stream")
        if let dialect { request.set("MCP-Protocol-Version", dialect.version) }
        if let session = dialect?.session { request.set("Mcp-Session-Id", session) }
        guard dialect?.isStateless == true else { return request }
        request.set("Mcp-Method", method)
        if let member = MCPNames.named[method], let name = params.first(where: { $0.0 == member })?.1.string {
            request.set("Mcp-Name", RemoteRequest.headerValue(name))
        }
        for (name, value) in mirrored { request.set("Mcp-Param-" + name, RemoteRequest.headerValue(value)) }
        return request
    }

    /// A value that a header cannot carry is sent as Base64.
    static func headerValue(_ text: String) -> String {
        let isPlain =
            text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.hasPrefix("=?") && !text.hasPrefix(" ")
            && !text.hasSuffix(" ")
        return isPlain ? text : "=?base64?\(Base64.encode(Array(text.utf8)))?="
    }

    private func body(_ dialect: RemoteDialect?, _ version: String) -> [UInt8] {
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        writer.field("jsonrpc", "2.0")
        if let id { writer.field("id", id) }
        writer.field("method", method)
        var all = params
        var meta: [(String, JSONValue)] = []
        if dialect?.isStateless == true, let dialect {
            meta += [
                (MCPNames.protocolVersion, .string(dialect.version)),
                (MCPNames.clientInfo, RemoteRequest.clientInfo(version)), (MCPNames.clientCapabilities, .object([])),
            ]
        }
        if let progressToken { meta.append(("progressToken", .integer(progressToken))) }
        if !meta.isEmpty { all.append(("_meta", .object(meta))) }
        if !all.isEmpty { writer.field("params", .object(all)) }
        writer.endObject()
        return writer.bytes
    }

    private static func clientInfo(_ version: String) -> JSONValue {
        .object([("name", .string(ownName)), ("version", .string(version))])
    }
}

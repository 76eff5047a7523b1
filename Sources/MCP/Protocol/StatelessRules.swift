internal import JSON
internal import RPC

extension MCPVersion {
    /// The revision of a request. Those with `initialize` name none in the message, and the oldest clients name none at
    /// all after it.
    init(_ method: String, _ params: JSONValue, _ headers: MCPHeaders) throws(RPCError) {
        let told = params["_meta"]?[MCPNames.protocolVersion]
        let isStateless = headers.version.flatMap { MCPVersion(rawValue: $0) }?.isStateless ?? false
        if method == "initialize", told == nil, !isStateless {
            let wish = params["protocolVersion"]?.string.flatMap { MCPVersion(rawValue: $0) }
            self = if let wish, !wish.isStateless { wish } else { .newestLegacy }
            return
        }
        guard let header = headers.version else {
            guard told == nil, method != "server/discover" else {
                throw .headerMismatch("MCP-Protocol-Version is missing")
            }
            self = .newestLegacy
            return
        }
        let version = MCPVersion(rawValue: header)
        if let told {
            guard told.string == header else {
                throw .headerMismatch("MCP-Protocol-Version differs from the message")
            }
            guard let version, version.isStateless else { throw .unsupportedVersion(header) }
            self = version
            return
        }
        guard let version else { throw .unsupportedVersion(header) }
        guard !version.isStateless else { throw .invalidParams("_meta has no \(MCPNames.protocolVersion)") }
        self = version
    }
}

/// What a request of the stateless revision must have.
enum StatelessRules {
    static func check(_ method: String, _ params: JSONValue, _ headers: MCPHeaders) throws(RPCError) {
        guard params["_meta"]?[MCPNames.clientCapabilities]?.isObject == true else {
            throw .invalidParams("_meta has no \(MCPNames.clientCapabilities)")
        }
        guard headers.method == method else { throw .headerMismatch("Mcp-Method is not the message's method") }
        guard let member = MCPNames.named[method] else { return }
        guard let name = params[member]?.string else { throw .invalidParams("\(member) is not a string") }
        guard headers.name == name else { throw .headerMismatch("Mcp-Name is not the message's \(member)") }
    }
}

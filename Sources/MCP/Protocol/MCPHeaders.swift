internal import HTTPModel
internal import Signing

/// The headers that repeat parts of a message, so that proxies can tell requests apart without reading bodies.
struct MCPHeaders: Sendable, Equatable {
    var version: String?
    var method: String?
    /// Decoded; `nil` also if it cannot be decoded.
    var name: String?

    init(version: String? = nil, method: String? = nil, name: String? = nil) {
        (self.version, self.method) = (version, method)
        self.name = name.flatMap(MCPHeaders.decoded)
    }

    init(_ headers: HTTPHeaders) {
        self.init(
            version: headers["mcp-protocol-version"],
            method: headers["mcp-method"],
            name: headers["mcp-name"]
        )
    }

    /// A value with characters that a header cannot carry comes as `=?base64?...?=`.
    private static func decoded(_ value: String) -> String? {
        let (start, end) = ("=?base64?", "?=")
        guard value.hasPrefix(start), value.hasSuffix(end), value.utf8.count >= start.utf8.count + end.utf8.count
        else { return value }
        return Base64.decode(String(value.dropFirst(start.count).dropLast(end.count))).flatMap {
            String(validating: $0, as: UTF8.self)
        }
    }
}

/// A revision of the Model Context Protocol that the monitor speaks, as server and as client.
package enum MCPVersion: String, CaseIterable, Sendable {
    /// Each request stands alone.
    case july2026 = "2026-07-28"
    /// A connection begins with `initialize`. As a server, the monitor keeps no state from it.
    case november2025 = "2025-11-25"
    case june2025 = "2025-06-18"

    package var isStateless: Bool { self == .july2026 }

    package static let stateless = allCases.filter(\.isStateless)
    /// The newest that begins with `initialize`.
    package static let newestLegacy = november2025
}

/// Names of the protocol that both ends use.
package enum MCPNames {
    package static let protocolVersion = "io.modelcontextprotocol/protocolVersion"
    package static let clientCapabilities = "io.modelcontextprotocol/clientCapabilities"
    package static let clientInfo = "io.modelcontextprotocol/clientInfo"
    /// The methods for which the header `Mcp-Name` repeats a parameter.
    package static let named = ["tools/call": "name", "prompts/get": "name", "resources/read": "uri"]

    package static let headerMismatch: Int64 = -32020
    package static let unsupportedVersion: Int64 = -32022
    /// The codes that only servers without `initialize` give.
    package static let statelessCodes: ClosedRange<Int64> = -32099...headerMismatch
}

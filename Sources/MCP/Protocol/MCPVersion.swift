/// A revision of the Model Context Protocol that this server speaks.
enum MCPVersion: String, CaseIterable, Sendable {
    /// Each request stands alone.
    case july2026 = "2026-07-28"
    /// A connection begins with `initialize`. This server keeps no state from it.
    case november2025 = "2025-11-25"
    case june2025 = "2025-06-18"

    var isStateless: Bool { self == .july2026 }

    static let stateless = allCases.filter(\.isStateless)
    /// The newest that begins with `initialize`.
    static let newestLegacy = november2025
}

internal import RPC

/// How a remote server is spoken to.
enum RemoteDialect: Sendable, Equatable {
    /// Each request stands alone.
    case stateless(MCPVersion)
    /// After `initialize`.
    ///
    /// - Parameters:
    ///   - version: what the server chose; perhaps one that is older than those of `MCPVersion`.
    ///   - session: the id that the server gave, if it did.
    case legacy(version: String, session: String?)

    var version: String {
        switch self {
        case .stateless(let version): version.rawValue
        case .legacy(let version, _): version
        }
    }

    var session: String? {
        if case .legacy(_, let session) = self { session } else { nil }
    }

    var isStateless: Bool {
        if case .stateless = self { true } else { false }
    }
}

/// The headers whose values the server reads. Other headers are checked in the same way and then dropped.
struct HeaderTable: Sendable {
    /// The headers that the listener itself uses. The raw value of each is its index in the table.
    enum Known: Int, CaseIterable {
        case host, origin, contentLength, transferEncoding, connection, expect, upgrade
        case webSocketKey, webSocketVersion, webSocketProtocol, requestID
        case forwardedFor, forwardedHost, forwardedScheme, forwardedPrefix
        case forwarded, via

        var name: String {
            switch self {
            case .host: "host"
            case .origin: "origin"
            case .contentLength: "content-length"
            case .transferEncoding: "transfer-encoding"
            case .connection: "connection"
            case .expect: "expect"
            case .upgrade: "upgrade"
            case .webSocketKey: "sec-websocket-key"
            case .webSocketVersion: "sec-websocket-version"
            case .webSocketProtocol: "sec-websocket-protocol"
            case .forwardedFor: "x-forwarded-for"
            case .forwardedHost: "x-forwarded-host"
            case .forwardedScheme: "x-forwarded-proto"
            case .forwardedPrefix: "x-forwarded-prefix"
            case .forwarded: "forwarded"
            case .via: "via"
            case .requestID: "x-request-id"
            }
        }
    }

    struct Entry: Sendable {
        /// In lower case.
        let name: String
        let bytes: [UInt8]
        let index: Int
        /// Several lines of this name form one list (RFC 9110 section 5.3). Every other header may occur once.
        let isList: Bool
    }

    let names: [String]
    /// The headers that requests pass to the handler, with their indexes.
    let passed: [(name: String, index: Int)]
    /// Indexed by the length of the name, which rules out most unknown names.
    private let byLength: [[Entry]]

    private static let lists: Set<String> = [
        "accept", "accept-encoding", "accept-language", "access-control-request-headers", "cache-control", "connection",
        "forwarded", "if-match", "if-none-match", "sec-websocket-protocol", "upgrade", "via", "x-forwarded-for",
        "x-forwarded-host", "x-forwarded-prefix", "x-forwarded-proto",
    ]

    /// `passed` in lower case.
    init(passing passed: [String]) {
        var names = Known.allCases.map(\.name)
        for name in passed where !names.contains(name) { names.append(name) }
        var byLength = [[Entry]](repeating: [], count: (names.map(\.utf8.count).max() ?? 0) + 1)
        for (index, name) in names.enumerated() {
            let bytes = Array(name.utf8)
            byLength[bytes.count].append(
                Entry(name: name, bytes: bytes, index: index, isList: Self.lists.contains(name))
            )
        }
        self.names = names
        self.byLength = byLength
        self.passed = passed.compactMap { name in names.firstIndex(of: name).map { (name, $0) } }
    }

    /// Returns the entry for a name in any case, or nil if nothing reads that header.
    func entry(_ name: ArraySlice<UInt8>) -> Entry? {
        guard name.count < byLength.count else { return nil }
        for entry in byLength[name.count] where entry.matches(name) { return entry }
        return nil
    }
}

extension HeaderTable.Entry {
    fileprivate func matches(_ name: ArraySlice<UInt8>) -> Bool {
        var index = name.startIndex
        for byte in bytes {
            if name[index].lowercased != byte { return false }
            index += 1
        }
        return true
    }
}

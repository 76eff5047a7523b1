internal import HTTPModel

/// The target of a request (RFC 9112 section 3.2): a path, or a URL whose host the `Host` header must repeat.
struct RequestTarget: Equatable, Sendable {
    /// Normalized: see `PercentEncoding.normalizedPath`.
    let path: String
    /// As received, without the question mark; empty if there is none.
    let query: String
    /// The authority of an absolute URL, in lower case.
    let authority: String?

    init(_ bytes: ArraySlice<UInt8>) throws(HeadFault) {
        guard bytes.allSatisfy({ (33...126).contains($0) && $0 != UInt8(ascii: "#") }) else { throw .badTarget }
        guard !PercentEncoding.holdsControl(bytes) else { throw .badTarget }
        let (authority, rest) = try Self.splitURL(bytes)
        self.authority = authority
        let question = rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
        guard let path = PercentEncoding.normalizedPath(rest[..<question]) else { throw .badTarget }
        self.path = path
        query = String(decoding: rest[question...].dropFirst(), as: UTF8.self)
    }

    private static func splitURL(_ bytes: ArraySlice<UInt8>) throws(HeadFault) -> (String?, ArraySlice<UInt8>) {
        if bytes.first == UInt8(ascii: "/") { return (nil, bytes) }
        let scheme = String(decoding: bytes.prefix(8), as: UTF8.self).lowercased()
        let length = scheme == "https://" ? 8 : scheme.hasPrefix("http://") ? 7 : 0
        guard length > 0 else { throw .badTarget }
        let rest = bytes.dropFirst(length)
        guard let slash = rest.firstIndex(of: UInt8(ascii: "/")), slash > rest.startIndex else { throw .badTarget }
        return (String(decoding: rest[..<slash], as: UTF8.self).lowercased(), rest[slash...])
    }
}

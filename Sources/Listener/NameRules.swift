/// Decides by `Host` and `Origin` whether a request is allowed. A page of a foreign site must not reach the server, not
/// even through a name that it has pointed at this machine (DNS rebinding).
struct NameRules: Sendable {
    private var hosts: Set<String> = ["localhost", "127.0.0.1", "[::1]"]
    private var originHosts: Set<String>
    /// The names in `originHosts` that the operator has configured.
    private var listedHosts: Set<String> = []
    private var origins: Set<String> = []

    init(allowedHosts: [String], allowedOrigins: [String], boundHosts: [String]) {
        for host in boundHosts where host != "0.0.0.0" && host != "::" {
            hosts.insert(host.contains(":") ? "[\(host.lowercased())]" : host.lowercased())
        }
        originHosts = hosts
        hosts.formUnion(allowedHosts.map { $0.lowercased() })
        for origin in allowedOrigins.map({ $0.lowercased() }) {
            if origin.contains("://") || origin == "null" {
                origins.insert(origin)
            } else {
                originHosts.insert(origin)
                listedHosts.insert(origin)
            }
        }
    }

    func allows(host: String) -> Bool {
        guard let name = Self.name(ofAuthority: host) else { return false }
        return hosts.contains(name)
    }

    /// - Parameter host: the request's host. A page that calls the name and port from which it was loaded is not
    ///   foreign.
    func allows(origin: String, host: String) -> Bool {
        let origin = origin.lowercased()
        if origins.contains(origin) { return true }
        let authority: Substring
        if origin.hasPrefix("http://") {
            authority = origin.dropFirst(7)
        } else if origin.hasPrefix("https://") {
            authority = origin.dropFirst(8)
        } else {
            return false
        }
        guard let name = Self.name(ofAuthority: String(authority)) else { return false }
        if authority == host.lowercased(), hosts.contains(name) { return true }
        return originHosts.contains(name)
    }

    /// The operator has configured the origin, or it is the origin to which the request is sent.
    func lists(origin: String, host: String) -> Bool {
        let origin = origin.lowercased()
        if origins.contains(origin) { return true }
        guard let slashes = origin.firstRange(of: "://") else { return false }
        let authority = origin[slashes.upperBound...]
        if authority == host.lowercased() { return true }
        return Self.name(ofAuthority: String(authority)).map(listedHosts.contains) ?? false
    }

    /// Returns the name before the port, in lower case, or nil if the text is not `host[:port]` (RFC 9110 section 7.2).
    static func name(ofAuthority text: String) -> String? {
        let bytes = text.utf8
        let end: String.Index
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            end = bytes.index(after: bracket)
        } else {
            end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        }
        let name = bytes[..<end]
        let rest = bytes[end...]
        guard !name.isEmpty, name.allSatisfy(isNameByte), rest.isEmpty || rest.first == UInt8(ascii: ":"),
            rest.count <= 6, rest.dropFirst().allSatisfy({ (48...57).contains($0) })
        else { return nil }
        return text[..<end].lowercased()
    }

    /// Letters, digits and `-.:[]_`.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, 45, 46, 58, 91, 93, 95: true
        default: false
        }
    }
}

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

    /// - Parameters:
    ///   - host: the request's host. A page that calls the origin from which it was loaded is not foreign.
    ///   - isSecure: whether the client uses TLS. `nil` if unknown: a proxy that nobody has declared may use it.
    func allows(origin text: String, host: String, isSecure: Bool?) -> Bool {
        if origins.contains(text.lowercased()) { return true }
        guard let origin = PageOrigin(text) else { return false }
        if origin.authority == host.lowercased(), hosts.contains(origin.name), origin.isOfServer(isSecure) {
            return true
        }
        return originHosts.contains(origin.name) && origin.fits(isSecure)
    }

    /// The operator has configured the origin, or it is the origin to which the request is sent.
    func lists(origin text: String, host: String, isSecure: Bool?) -> Bool {
        if origins.contains(text.lowercased()) { return true }
        guard let origin = PageOrigin(text) else { return false }
        if origin.authority == host.lowercased() { return origin.isOfServer(isSecure) }
        return listedHosts.contains(origin.name) && origin.fits(isSecure)
    }

    /// The origin of a page that was loaded by HTTP.
    private struct PageOrigin {
        let isSecure: Bool
        /// Name and port, in lower case.
        let authority: Substring
        let name: String

        init?(_ text: String) {
            let text = text.lowercased()
            if text.hasPrefix("http://") {
                (isSecure, authority) = (false, text.dropFirst(7))
            } else if text.hasPrefix("https://") {
                (isSecure, authority) = (true, text.dropFirst(8))
            } else {
                return nil
            }
            guard let name = NameRules.name(ofAuthority: String(authority)) else { return nil }
            self.name = name
        }

        func isOfServer(_ isServerSecure: Bool?) -> Bool { isServerSecure == nil || isServerSecure == isSecure }

        /// A page that anybody on the way may have changed is not trusted by a server that uses TLS.
        func fits(_ isServerSecure: Bool?) -> Bool { isSecure || isServerSecure != true }
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

/// Which `Host` and `Origin` may come in. A page of a foreign site must reach nothing, not even by a name that it has
/// made to point at this machine (DNS rebinding).
struct NameRules: Sendable {
    private var hosts: Set<String> = ["localhost", "127.0.0.1", "[::1]"]
    private var originHosts: Set<String>
    private var origins: Set<String> = []

    init(allowedHosts: [String], allowedOrigins: [String], boundHosts: [String]) {
        for host in boundHosts where host != "0.0.0.0" && host != "::" {
            hosts.insert(host.contains(":") ? "[\(host.lowercased())]" : host.lowercased())
        }
        originHosts = hosts
        hosts.formUnion(allowedHosts.map { $0.lowercased() })
        for origin in allowedOrigins.map({ $0.lowercased() }) {
            if origin.contains("://") || origin == "null" { origins.insert(origin) } else { originHosts.insert(origin) }
        }
    }

    func allows(host: String) -> Bool {
        guard let name = Self.name(ofAuthority: host) else { return false }
        return hosts.contains(name)
    }

    /// - Parameter host: that of the request. A page from the very name and port that it calls is not foreign.
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

    /// The lower-case name in front of the port; nil where the text is no `host[:port]` (RFC 9110 §7.2).
    static func name(ofAuthority text: String) -> String? {
        var name = Substring(text.lowercased())
        var port: Substring = ""
        if name.hasPrefix("[") {
            guard let end = name.firstIndex(of: "]") else { return nil }
            let rest = name[name.index(after: end)...]
            name = name[...end]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            port = rest.dropFirst()
        } else if let colon = name.firstIndex(of: ":") {
            port = name[name.index(after: colon)...]
            name = name[..<colon]
        }
        guard !name.isEmpty, port.utf8.count <= 5, port.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        let allowed = name.utf8.allSatisfy {
            (48...57).contains($0) || (97...122).contains($0) || [45, 46, 58, 91, 93, 95].contains($0)
        }
        return allowed ? String(name) : nil
    }
}

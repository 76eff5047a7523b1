/// The environment of commands of git, from that of the agent.
package enum GitEnvironment {
    /// Names that pass. A name that ends with `*` stands for all that begin so.
    private static let allowed = [
        "HOME", "USER", "LOGNAME", "TMPDIR", "TZ", "SSH_AUTH_SOCK", "GNUPGHOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME",
        "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
        "http_proxy", "https_proxy", "no_proxy", "all_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR",
    ]

    /// Nothing asks a person, nothing starts an editor, and texts are in English.
    private static let fixed = [
        "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=false", "SSH_ASKPASS=false", "SSH_ASKPASS_REQUIRE=never",
        "GIT_EDITOR=false", "GIT_SEQUENCE_EDITOR=false", "GIT_PAGER=cat", "GIT_LITERAL_PATHSPECS=1",
        "GIT_NO_LAZY_FETCH=1", "GIT_MERGE_AUTOEDIT=no",
    ]

    package static func make(from own: [String], reads: Bool, isTrusted: Bool) -> [String] {
        var list = own.filter { entry in
            guard let end = entry.firstIndex(of: "=") else { return false }
            return allowed.contains(String(entry[..<end]))
        }
        list += fixed
        list.append("PATH=" + path(own))
        // Also an object that is missing is not fetched.
        if reads { list += ["GIT_OPTIONAL_LOCKS=0", "GIT_ALLOW_PROTOCOL=none"] }
        if !isTrusted { list += ["GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null"] }
        return list
    }

    /// A relative directory in the search path would be one of the repository.
    private static func path(_ own: [String]) -> String {
        let path = own.last { $0.hasPrefix("PATH=") }?.dropFirst(5) ?? ""
        let parts = path.split(separator: ":").filter { $0.hasPrefix("/") }
        return parts.isEmpty ? "/usr/local/bin:/usr/bin:/bin" : parts.joined(separator: ":")
    }
}

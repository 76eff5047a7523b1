package import HTTPClient
package import HTTPModel

/// Where browsers may go after the login of a link. The program names the address. If any address were allowed, every
/// program could lead people from this server to a site of its choice.
package struct CallbackRules: Sendable, Equatable {
    private static let mostBytes = 2000

    /// Origins, and schemes with their colon.
    private let listed: Set<String>

    /// The rules if the operator has listed nothing.
    package init(publicURL: HTTPLocation?) {
        listed = Set(publicURL.map { [$0.origin] } ?? [])
    }

    /// Returns `nil` if a word is neither an https origin nor a scheme with a colon.
    ///
    /// - Parameters:
    ///   - words: what the operator has listed, such as `https://app.example` and `act:`.
    ///   - publicURL: the address of this server.
    package init?(_ words: [String], publicURL: HTTPLocation?) {
        var listed = CallbackRules(publicURL: publicURL).listed
        for word in words {
            if let origin = HTTPLocation(word) {
                guard origin.isSecure, origin.origin == word else { return nil }
            } else {
                let scheme = word.dropLast()
                guard word.hasSuffix(":"), CallbackRules.isScheme(scheme), !CallbackRules.isKnown(scheme) else {
                    return nil
                }
            }
            listed.insert(word)
        }
        self.listed = listed
    }

    /// Throws 400 unless the address belongs to a listed origin, to this server, or to a program on the person's own
    /// machine (RFC 8252 section 7.3), or its scheme is listed or is a reversed domain name (section 7.1).
    package func require(_ text: String) throws(APIError) {
        guard text.utf8.count <= CallbackRules.mostBytes, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            !text.contains("#"), !text.contains("\\"), !text.contains("\""), isAllowed(text)
        else { throw CallbackRules.refused }
    }

    private func isAllowed(_ text: String) -> Bool {
        if let location = HTTPLocation(text) {
            return location.isSecure
                ? listed.contains(location.origin) : LoginPlace.loopback.contains(location.host)
        }
        let scheme = text.prefix { $0 != ":" }
        guard scheme.count < text.count, CallbackRules.isScheme(scheme), !CallbackRules.isKnown(scheme) else {
            return false
        }
        return listed.contains("\(scheme.lowercased()):") || scheme.contains(".")
    }

    /// The address, with the outcome of the login in its query.
    static func address(_ callback: String, account: String, isConnected: Bool) -> String {
        let pairs = [("status", isConnected ? "success" : "failed"), ("connected_account_id", account)]
        return callback + (callback.contains("?") ? "&" : "?") + FormEncoding.encode(pairs)
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, (2...40).contains(text.utf8.count) else { return false }
        return (97...122).contains(first | 0x20)
            && text.utf8.allSatisfy {
                (48...57).contains($0) || (97...122).contains($0 | 0x20) || "+-.".utf8.contains($0)
            }
    }

    /// Schemes that browsers or systems act on themselves.
    private static func isKnown(_ scheme: Substring) -> Bool {
        [
            "http", "https", "javascript", "data", "file", "blob", "about", "vbscript", "view-source", "ftp", "intent",
            "filesystem", "ws", "wss", "chrome", "tel", "sms", "mailto",
        ].contains(scheme.lowercased())
    }

    private static let refused = APIError.invalid(
        "invalid_parameter",
        "'callback_url' must have an origin or scheme of MONITOR_TOOL_CALLBACKS, the server's own origin, a scheme "
            + "such as com.example.app, or http on a loopback address.",
        param: "callback_url"
    )
}

package import HTTPClient

/// Which addresses in documents of other servers are used.
package struct EndpointRules: Sendable, Equatable {
    /// Whether `http` will do. True only for a server that is itself reached by `http`.
    package let allowsPlain: Bool
    /// Origins that a person has named, beside the one that is asked.
    package let trustedOrigins: Set<String>

    package init(server: HTTPLocation, trustedOrigins: Set<String> = []) {
        (allowsPlain, self.trustedOrigins) = (!server.isSecure, trustedOrigins)
    }

    /// - Parameter origin: the origin that may be named, or `nil` for any.
    func location(_ text: String, at origin: String?, called name: String) throws(OAuthFault) -> HTTPLocation {
        guard let location = HTTPLocation(text) else { throw OAuthFault(.malformedMetadata, "\(name) is no URL") }
        guard location.isSecure || allowsPlain else {
            throw OAuthFault(.insecureEndpoint, "\(name) is not https: \(location.origin)")
        }
        guard origin == nil || origin == location.origin || trustedOrigins.contains(location.origin) else {
            throw OAuthFault(.foreignEndpoint, "\(name) has the origin \(location.origin), not \(origin ?? "")")
        }
        return location
    }
}

extension HTTPLocation {
    /// The path without the query and without slashes at its end.
    package var plainPath: Substring {
        var path = path.prefix { $0 != "?" }
        while path.hasSuffix("/") { path.removeLast() }
        return path
    }

    /// The query, with its question mark; empty if there is none.
    var querySuffix: Substring { path.drop { $0 != "?" } }
}

package import HTTPClient
internal import JSON

/// What a server says of the tokens that it takes (RFC 9728).
package struct ProtectedResource: Sendable, Equatable {
    private static let mostServers = 8

    /// The name that authorization servers know it by (RFC 8707).
    package let resource: String
    /// The issuers, the first one first. Not empty.
    package let authorizationServers: [String]
    package let scopes: [String]

    /// Where the metadata of a server is, if the server does not say: behind its path, then at its root.
    package static func wellKnown(of server: HTTPLocation) -> [HTTPLocation] {
        let base = server.origin + "/.well-known/oauth-protected-resource"
        let own = HTTPLocation(base + server.plainPath + server.querySuffix)
        let root = HTTPLocation(base)
        return [own, root].compactMap(\.self).enumerated().filter { $0.offset == 0 || own != root }.map(\.element)
    }

    package init(_ document: [UInt8], of server: HTTPLocation) throws(OAuthFault) {
        guard let json = try? JSONValue.parse(document, maxDepth: 16), let name = json["resource"]?.string,
            let servers = json["authorization_servers"]?.array?.compactMap(\.string), !servers.isEmpty,
            servers.count <= ProtectedResource.mostServers
        else { throw OAuthFault(.malformedMetadata, "the resource's metadata names no resource or no issuer") }
        guard let resource = HTTPLocation(name), resource.covers(server) else {
            throw OAuthFault(.foreignResource, "the metadata is that of another resource than \(server.origin)")
        }
        self.resource = name
        authorizationServers = servers
        scopes = json["scopes_supported"]?.scopes ?? []
    }
}

extension HTTPLocation {
    /// Whether a token for this resource may be sent to the address: the same origin, and the same path or one below.
    package func covers(_ other: HTTPLocation) -> Bool {
        let (own, path) = (plainPath, other.plainPath)
        guard origin == other.origin, !path.split(separator: "/").contains("..") else { return false }
        return (own == path || path.hasPrefix(own + "/")) && (querySuffix.isEmpty || querySuffix == other.querySuffix)
    }
}

extension JSONValue {
    /// Names of scopes (RFC 6749 section 3.3) in an array. Drops what is none.
    var scopes: [String]? { array.map { $0.prefix(100).compactMap(\.string).filter(OAuthScope.isName) } }
}

enum OAuthScope {
    static func isName(_ text: String) -> Bool {
        (1...200).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }

    /// The names in a list with spaces between; `nil` if one is no name.
    static func names(_ text: String) -> [String]? {
        let names = text.split(separator: " ").map(String.init)
        return names.allSatisfy(isName) && names.count <= 100 ? names : nil
    }

    /// The names of some lists, each once, in their order.
    static func union(_ lists: [String]) -> String? {
        var all: [String] = []
        for name in lists.flatMap({ $0.split(separator: " ").map(String.init) }) where !all.contains(name) {
            all.append(name)
        }
        return all.isEmpty ? nil : all.joined(separator: " ")
    }
}

package import HTTPClient

/// From the address of a server to the authorization server that issues its tokens. Pure: each method takes one input
/// and returns what to do next.
package struct Discovery: Sendable {
    package enum Action: Sendable, Equatable {
        case fetch(HTTPLocation)
        case done(Found)
    }

    package struct Found: Sendable, Equatable {
        package var resource: ProtectedResource
        package var server: AuthorizationServer
        /// The scope that the server asked for, or all that it knows; `nil` if it names none.
        package var scope: String?
    }

    private enum Phase {
        case resource
        case issuer(ProtectedResource, String)
    }

    private let server: HTTPLocation
    private let rules: EndpointRules
    private var phase = Phase.resource
    private var challenge: BearerChallenge?
    /// Places to look at next, in order.
    private var places: [HTTPLocation] = []
    private var issuers: [String] = []

    package init(of server: HTTPLocation, rules: EndpointRules) {
        (self.server, self.rules) = (server, rules)
    }

    /// The server has answered a request without a token.
    ///
    /// - Parameter challenge: `nil` if the answer has none.
    package mutating func challenged(_ challenge: BearerChallenge?) throws(OAuthFault) -> Action {
        self.challenge = challenge
        if let text = challenge?.resourceMetadata {
            places = [try rules.location(text, at: server.origin, called: "the resource's metadata")]
        } else {
            places = ProtectedResource.wellKnown(of: server)
        }
        return try next()
    }

    /// The document was fetched.
    package mutating func fetched(_ document: [UInt8]) throws(OAuthFault) -> Action {
        switch phase {
        case .resource:
            let resource = try ProtectedResource(document, of: server)
            issuers = resource.authorizationServers
            return try nextIssuer(of: resource)
        case .issuer(let resource, let issuer):
            let found = try AuthorizationServer(document, issuer: issuer, rules: rules)
            return .done(Found(resource: resource, server: found, scope: scope(of: resource, found)))
        }
    }

    /// There is no document at the place.
    package mutating func missing() throws(OAuthFault) -> Action { try next() }

    private mutating func next() throws(OAuthFault) -> Action {
        if !places.isEmpty { return .fetch(places.removeFirst()) }
        switch phase {
        case .resource:
            throw OAuthFault(.noResourceMetadata, "\(server.origin) does not say who issues its tokens")
        case .issuer(let resource, _): return try nextIssuer(of: resource)
        }
    }

    private mutating func nextIssuer(of resource: ProtectedResource) throws(OAuthFault) -> Action {
        guard !issuers.isEmpty else {
            throw OAuthFault(.noServerMetadata, "the issuer of the tokens publishes no metadata")
        }
        let issuer = issuers.removeFirst()
        let location = try rules.location(issuer, at: nil, called: "the issuer")
        guard location.querySuffix.isEmpty else { throw OAuthFault(.malformedMetadata, "the issuer has a query") }
        phase = .issuer(resource, issuer)
        places = AuthorizationServer.wellKnown(of: location)
        return try next()
    }

    private func scope(of resource: ProtectedResource, _ found: AuthorizationServer) -> String? {
        var names = challenge?.scope.flatMap(OAuthScope.names) ?? []
        if names.isEmpty { names = resource.scopes }
        // Without it, many servers give no refresh token.
        if found.scopes.contains("offline_access"), !names.contains("offline_access"), !names.isEmpty {
            names.append("offline_access")
        }
        return names.isEmpty ? nil : names.joined(separator: " ")
    }
}

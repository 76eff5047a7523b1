package import HTTPClient
internal import JSON

/// What an authorization server says of itself (RFC 8414, OpenID Connect Discovery 1.0).
package struct AuthorizationServer: Sendable, Equatable {
    package let issuer: String
    package let authorizationEndpoint: HTTPLocation
    package let tokenEndpoint: HTTPLocation
    package let registrationEndpoint: HTTPLocation?
    package let revocationEndpoint: HTTPLocation?
    /// Whether a client may be the URL of its own description.
    package let takesClientDocuments: Bool
    /// Whether every answer names the issuer (RFC 9207).
    package let namesIssuer: Bool
    /// How a client with a secret shows it.
    package let takesSecretInForm: Bool
    package let scopes: [String]

    /// Where the metadata of an issuer is, in the order in which to look.
    package static func wellKnown(of issuer: HTTPLocation) -> [HTTPLocation] {
        let path = issuer.plainPath
        var places = [
            "/.well-known/oauth-authorization-server" + path, "/.well-known/openid-configuration" + path,
        ]
        if !path.isEmpty { places.append(path + "/.well-known/openid-configuration") }
        return places.compactMap { HTTPLocation(issuer.origin + $0) }
    }

    /// - Parameter issuer: the one that was asked, letter by letter.
    package init(_ document: [UInt8], issuer: String, rules: EndpointRules) throws(OAuthFault) {
        guard let json = try? JSONValue.parse(document, maxDepth: 16), json.isObject,
            let authorization = json["authorization_endpoint"]?.string, let token = json["token_endpoint"]?.string
        else { throw OAuthFault(.malformedMetadata, "the issuer's metadata lacks its endpoints") }
        guard json["issuer"]?.string == issuer else {
            throw OAuthFault(.issuerMismatch, "the metadata is that of another issuer than the one that was asked")
        }
        let methods = json["code_challenge_methods_supported"]?.array?.compactMap(\.string) ?? []
        guard methods.contains("S256") else {
            throw OAuthFault(.noPKCE, "the issuer does not announce the code challenge method S256")
        }
        let origin = HTTPLocation(issuer)?.origin ?? ""
        self.issuer = issuer
        authorizationEndpoint = try rules.location(authorization, at: origin, called: "the authorization endpoint")
        tokenEndpoint = try rules.location(token, at: origin, called: "the token endpoint")
        registrationEndpoint = try Self.optional("registration_endpoint", json, origin, rules)
        revocationEndpoint = try Self.optional("revocation_endpoint", json, origin, rules)
        takesClientDocuments = json["client_id_metadata_document_supported"]?.bool == true
        namesIssuer = json["authorization_response_iss_parameter_supported"]?.bool == true
        let secrets = json["token_endpoint_auth_methods_supported"]?.array?.compactMap(\.string) ?? []
        takesSecretInForm = secrets.contains("client_secret_post") && !secrets.contains("client_secret_basic")
        scopes = json["scopes_supported"]?.scopes ?? []
    }

    private static func optional(
        _ name: String,
        _ json: JSONValue,
        _ origin: String,
        _ rules: EndpointRules
    ) throws(OAuthFault) -> HTTPLocation? {
        guard let text = json[name]?.string else { return nil }
        return try rules.location(text, at: origin, called: name)
    }
}

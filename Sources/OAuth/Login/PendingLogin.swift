package import EventModel
package import HTTPClient
internal import HTTPModel
internal import JSON
package import Signing

/// A login that has begun: what the token request needs when the browser comes back. It is stored sealed.
package struct PendingLogin: Sendable, Equatable {
    /// The time in seconds that a person has.
    package static let seconds = 600.0

    package var issuer: String
    package var namesIssuer: Bool
    package var tokenEndpoint: HTTPLocation
    package var revocationEndpoint: HTTPLocation?
    package var client: OAuthClient
    package var sendsSecretInForm: Bool
    package var resource: String
    package var redirectURI: String
    package var scope: String?
    /// The secret of PKCE (RFC 7636), from which the challenge is made.
    package var verifier: String

    package init(_ found: Discovery.Found, client: OAuthClient, redirectURI: String, verifier: String) {
        issuer = found.server.issuer
        namesIssuer = found.server.namesIssuer
        tokenEndpoint = found.server.tokenEndpoint
        revocationEndpoint = found.server.revocationEndpoint
        sendsSecretInForm = found.server.takesSecretInForm
        resource = found.resource.resource
        scope = found.scope
        (self.client, self.redirectURI, self.verifier) = (client, redirectURI, verifier)
    }

    /// 43 characters from 32 random bytes, for a state, a verifier or a browser's secret.
    package static func random() throws(SigningError) -> String { Base64URL.encode(try SecureRandom.bytes(32)) }

    /// Where the person's browser goes.
    package func authorizationURL(_ endpoint: HTTPLocation, state: String) -> String {
        let challenge = Base64URL.encode(Digest.sha256(Array(verifier.utf8)))
        var pairs = [
            ("response_type", "code"), ("client_id", client.id), ("redirect_uri", redirectURI), ("state", state),
            ("code_challenge", challenge), ("code_challenge_method", "S256"), ("resource", resource),
        ]
        if let scope { pairs.append(("scope", scope)) }
        return endpoint.description + (endpoint.querySuffix.isEmpty ? "?" : "&") + FormEncoding.encode(pairs)
    }

    /// What the browser brings back, by the query of its request. Returns the code.
    package func check(_ callback: LoginCallback) throws(OAuthFault) -> String {
        // Before anything else is believed, the error included (RFC 9207 section 2.4).
        if let issuer = callback.issuer {
            guard issuer == self.issuer else {
                throw OAuthFault(.mixedUp, "the answer names another issuer than the one that was asked")
            }
        } else if namesIssuer {
            throw OAuthFault(.mixedUp, "the answer does not name its issuer, although the issuer always does")
        }
        if let error = callback.error { throw OAuthFault(.loginRefused, "the issuer refuses the login: \(error)") }
        guard let code = callback.code else { throw LoginCallback.malformed }
        return code
    }

    /// Whether the browser that comes back is the one that left, in time.
    ///
    /// - Parameters:
    ///   - expected: the SHA-256 of the secret of the browser in which the login began.
    ///   - secret: of the browser that comes back; `nil` if it has none.
    package static func admit(
        browser expected: [UInt8],
        _ secret: String?,
        until expiresAt: Timestamp,
        now: Timestamp
    ) throws(OAuthFault) {
        guard now < expiresAt else { throw LoginCallback.unknownState }
        guard let secret, Digest.sha256(Array(secret.utf8)) == expected else {
            throw OAuthFault(.otherBrowser, "the login was begun in another browser")
        }
    }
}

/// The query of a callback. None of it is believed before `PendingLogin.check`.
package struct LoginCallback: Sendable, Equatable {
    package var state: String
    package var code: String?
    package var issuer: String?
    /// A word of RFC 6749 section 4.1.2.1, or `other`.
    package var error: String?

    package init(_ query: String) throws(OAuthFault) {
        let parameters = QueryParameters(query)
        let names = parameters.names.filter { ["state", "code", "iss", "error"].contains($0) }
        guard query.utf8.count <= 16_384, Set(names).count == names.count,
            let state = parameters["state"], state.utf8.count == 43
        else { throw LoginCallback.malformed }
        let code = parameters["code"]
        guard code.map({ (1...4096).contains($0.utf8.count) }) ?? true else { throw LoginCallback.malformed }
        (self.state, self.code, issuer) = (state, code, parameters["iss"])
        error = parameters["error"].map { LoginCallback.words.contains($0) ? $0 : "other" }
    }

    static let malformed = OAuthFault(.malformedCallback, "the address has no whole answer of an issuer")
    static let unknownState = OAuthFault(.unknownState, "no login waits for this answer, or no more")

    private static let words: Set<String> = [
        "invalid_request", "unauthorized_client", "access_denied", "unsupported_response_type", "invalid_scope",
        "server_error", "temporarily_unavailable", "invalid_target",
    ]
}

extension PendingLogin: CustomStringConvertible, CustomReflectable {
    package var description: String { "login at \(issuer)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension PendingLogin {
    /// The JSON that is sealed and stored.
    package var stored: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("issuer", issuer)
        writer.field("names_issuer", namesIssuer)
        writer.field("token_endpoint", tokenEndpoint.description)
        writer.field("revocation_endpoint", revocationEndpoint?.description)
        writer.field("client_id", client.id)
        writer.field("client_secret", client.secret)
        writer.field("secret_in_form", sendsSecretInForm)
        writer.field("resource", resource)
        writer.field("redirect_uri", redirectURI)
        writer.field("scope", scope)
        writer.field("verifier", verifier)
        writer.endObject()
        return writer.bytes
    }

    /// Returns `nil` if these are no bytes of `stored`.
    package init?(stored: [UInt8]) {
        guard let json = try? JSONValue.parse(stored), let issuer = json["issuer"]?.string,
            let token = json["token_endpoint"]?.string.flatMap(HTTPLocation.init),
            let client = json["client_id"]?.string, let resource = json["resource"]?.string,
            let redirectURI = json["redirect_uri"]?.string, let verifier = json["verifier"]?.string
        else { return nil }
        (self.issuer, tokenEndpoint, self.resource) = (issuer, token, resource)
        (self.redirectURI, self.verifier, scope) = (redirectURI, verifier, json["scope"]?.string)
        namesIssuer = json["names_issuer"]?.bool ?? false
        sendsSecretInForm = json["secret_in_form"]?.bool ?? false
        revocationEndpoint = json["revocation_endpoint"]?.string.flatMap(HTTPLocation.init)
        self.client = OAuthClient(id: client, secret: json["client_secret"]?.string)
    }
}

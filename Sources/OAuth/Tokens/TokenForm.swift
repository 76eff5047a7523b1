package import HTTPClient
internal import HTTPModel
internal import Signing

/// `application/x-www-form-urlencoded`.
enum FormEncoding {
    static func encode(_ pairs: [(String, String)]) -> String {
        pairs.map { PercentEncoding.encode($0) + "=" + PercentEncoding.encode($1) }.joined(separator: "&")
    }
}

/// A request to the token endpoint or the revocation endpoint of an authorization server (RFC 6749, RFC 7009).
package struct TokenForm: Sendable {
    package let endpoint: HTTPLocation
    package let body: [UInt8]
    /// The header `Authorization`, of a client with a secret.
    package let authorization: String?

    private init(_ endpoint: HTTPLocation, _ pairs: [(String, String)], _ client: OAuthClient, inForm: Bool) {
        var pairs = pairs
        self.endpoint = endpoint
        if let secret = client.secret, !inForm {
            let pair = PercentEncoding.encode(client.id) + ":" + PercentEncoding.encode(secret)
            authorization = "Basic " + Base64.encode(Array(pair.utf8))
        } else {
            authorization = nil
            pairs.append(("client_id", client.id))
            if let secret = client.secret { pairs.append(("client_secret", secret)) }
        }
        body = Array(FormEncoding.encode(pairs).utf8)
    }

    /// Turns the code of a login into tokens.
    package init(code: String, of login: PendingLogin) {
        let pairs = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", login.redirectURI),
            ("code_verifier", login.verifier), ("resource", login.resource),
        ]
        self.init(login.tokenEndpoint, pairs, login.client, inForm: login.sendsSecretInForm)
    }

    package init(refreshing token: String, of grant: TokenGrant) {
        let pairs = [("grant_type", "refresh_token"), ("refresh_token", token), ("resource", grant.resource)]
        self.init(grant.tokenEndpoint, pairs, grant.client, inForm: grant.sendsSecretInForm)
    }

    /// - Parameter kind: `access_token` or `refresh_token`.
    package init(revoking token: String, _ kind: String, at endpoint: HTTPLocation, of grant: TokenGrant) {
        let pairs = [("token", token), ("token_type_hint", kind)]
        self.init(endpoint, pairs, grant.client, inForm: grant.sendsSecretInForm)
    }
}

extension TokenForm: CustomStringConvertible, CustomReflectable {
    package var description: String { "form for \(endpoint.origin)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Who may refresh tokens, where, and what they are for.
package struct TokenGrant: Sendable, Equatable {
    package var issuer: String
    package var resource: String
    package var tokenEndpoint: HTTPLocation
    package var revocationEndpoint: HTTPLocation?
    package var client: OAuthClient
    package var sendsSecretInForm: Bool

    package init(of login: PendingLogin) {
        self.init(
            issuer: login.issuer,
            resource: login.resource,
            tokenEndpoint: login.tokenEndpoint,
            revocationEndpoint: login.revocationEndpoint,
            client: login.client,
            sendsSecretInForm: login.sendsSecretInForm
        )
    }

    package init(
        issuer: String,
        resource: String,
        tokenEndpoint: HTTPLocation,
        revocationEndpoint: HTTPLocation?,
        client: OAuthClient,
        sendsSecretInForm: Bool
    ) {
        (self.issuer, self.resource, self.client) = (issuer, resource, client)
        (self.tokenEndpoint, self.revocationEndpoint) = (tokenEndpoint, revocationEndpoint)
        self.sendsSecretInForm = sendsSecretInForm
    }

    /// Whether a token may be sent to the address. A token goes to its own resource only.
    package func admits(_ location: HTTPLocation) -> Bool { HTTPLocation(resource)?.covers(location) ?? false }
}

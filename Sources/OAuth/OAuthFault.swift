/// Why a login or a token of another server is no good. Safe to print: it has no token and no text of the other server.
package struct OAuthFault: Error, Sendable, Equatable {
    package enum Code: String, Sendable {
        /// The server does not say who issues its tokens.
        case noResourceMetadata = "no_resource_metadata"
        /// A document is no JSON object, or lacks what it must have.
        case malformedMetadata = "malformed_metadata"
        /// A document is about another server than the one it was asked of.
        case foreignResource = "foreign_resource"
        case issuerMismatch = "issuer_mismatch"
        case noServerMetadata = "no_server_metadata"
        /// An address is neither https nor, beside a plain server, http.
        case insecureEndpoint = "insecure_endpoint"
        /// An endpoint has another origin than its issuer, and nobody has said that it may.
        case foreignEndpoint = "foreign_endpoint"
        /// The authorization server does not announce PKCE with S256.
        case noPKCE = "no_pkce"
        /// There is no way to get a client id.
        case noRegistration = "no_registration"
        case registrationRefused = "registration_refused"
        /// The state is unknown, used or expired.
        case unknownState = "unknown_state"
        /// Another browser comes back than the one that left.
        case otherBrowser = "other_browser"
        /// The answer comes from another authorization server than the one that was asked.
        case mixedUp = "mixed_up"
        /// The person, or the authorization server, said no.
        case loginRefused = "login_refused"
        case malformedCallback = "malformed_callback"
        /// The authorization server does not give tokens for this code.
        case codeRefused = "code_refused"
        /// The refresh token counts no more.
        case refreshRefused = "refresh_refused"
        case malformedTokens = "malformed_tokens"
        /// The MCP server wants a wider scope than the tokens have.
        case insufficientScope = "insufficient_scope"
        /// The other server cannot be reached, or fails. A retry may help.
        case unreachable
    }

    package let code: Code
    /// Text for people. May name an address that was checked.
    package let detail: String

    package init(_ code: Code, _ detail: String) {
        (self.code, self.detail) = (code, detail)
    }
}

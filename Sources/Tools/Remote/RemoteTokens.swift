package import HTTPClient
package import HTTPModel

/// The tokens with which requests to remote servers are sent, if a person has logged in there.
package struct RemoteTokens: Sendable {
    package struct Token: Sendable {
        package let text: String
        /// Raised by each change of the tokens.
        package let generation: Int64

        package init(text: String, generation: Int64) {
            (self.text, self.generation) = (text, generation)
        }
    }

    /// The owner of tokens: an account at a server, or the operator.
    package struct Holder: Sendable, Hashable {
        /// The server's id.
        package let server: String
        /// The connected account; `nil` for the login that all share, and empty for none.
        package let account: String?

        package init(server: String, account: String? = nil) {
            (self.server, self.account) = (server, account)
        }
    }

    package typealias Find =
        @Sendable (_ of: Holder, HTTPLocation, _ refused: Token?) async -> Result<Token?, APIError>

    /// The token to send; `nil` if nobody has logged in. With a token that the server has refused, a later one. Fails
    /// with 409 `needs_login` if a person must log in again.
    let token: Find
    /// The server has refused a token that is new: a person must log in again.
    let reject: @Sendable (Holder, Token) async -> Void
    /// The server wants a wider scope than the token has: a person must log in again for it.
    let widen: @Sendable (Holder, _ scope: String) async -> Void

    package init(
        token: @escaping Find,
        reject: @escaping @Sendable (Holder, Token) async -> Void,
        widen: @escaping @Sendable (Holder, _ scope: String) async -> Void
    ) {
        (self.token, self.reject, self.widen) = (token, reject, widen)
    }

    /// Those of one holder.
    struct OfServer: Sendable {
        let tokens: RemoteTokens
        let holder: Holder

        /// A request for an account is never sent without a token: the server could take it for another's request.
        func token(
            at location: HTTPLocation,
            after refused: Token?
        ) async throws(RemoteFault) -> Token? {
            if holder.account == "" { return nil }
            switch await tokens.token(holder, location, refused) {
            case .success(let found):
                guard found != nil || holder.account == nil else { throw .unauthorized(challenge: nil) }
                return found
            case .failure(let error):
                guard error.code == "needs_login" else { throw .unreadable(error.message) }
                throw .unauthorized(challenge: nil)
            }
        }

        func reject(_ token: Token) async { await tokens.reject(holder, token) }

        func widen(_ scope: String) async { await tokens.widen(holder, scope) }
    }
}

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

    /// The token to send; `nil` if nobody has logged in. With a token that the server has refused, a later one. Fails
    /// with 409 `needs_login` if a person must log in again.
    let token: @Sendable (_ server: String, HTTPLocation, _ refused: Token?) async -> Result<Token?, APIError>
    /// The server has refused a token that is new: a person must log in again.
    let reject: @Sendable (_ server: String, Token) async -> Void
    /// Forgets the tokens of a server that is about to be removed, and has their issuer revoke them.
    let forget: @Sendable (_ server: String) async -> Void

    package init(
        token:
            @escaping @Sendable (_ server: String, HTTPLocation, _ refused: Token?) async -> Result<Token?, APIError>,
        reject: @escaping @Sendable (_ server: String, Token) async -> Void,
        forget: @escaping @Sendable (_ server: String) async -> Void
    ) {
        (self.token, self.reject, self.forget) = (token, reject, forget)
    }

    /// Those of one server.
    struct OfServer: Sendable {
        let tokens: RemoteTokens
        let server: String

        func token(
            at location: HTTPLocation,
            after refused: Token?
        ) async throws(RemoteFault) -> Token? {
            do throws(APIError) {
                return try await tokens.token(server, location, refused).get()
            } catch {
                guard error.code == "needs_login" else { throw .unreadable(error.message) }
                throw .unauthorized(challenge: nil)
            }
        }

        func reject(_ token: Token) async { await tokens.reject(server, token) }
    }
}

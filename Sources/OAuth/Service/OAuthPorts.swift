package import HTTPClient
package import HTTPModel

/// What other parts of the server do for logins at other servers.
package struct OAuthPorts: Sendable {
    /// The address of a remote MCP server. Throws 404 if there is none of that id.
    let server: @Sendable (_ id: String) async throws(APIError) -> HTTPLocation
    /// Sends a request to another server, if its address is allowed.
    let send: @Sendable (OutboundRequest) async throws(OutboundError) -> OutboundResponse

    package init(
        server: @escaping @Sendable (_ id: String) async throws(APIError) -> HTTPLocation,
        send: @escaping @Sendable (OutboundRequest) async throws(OutboundError) -> OutboundResponse
    ) {
        (self.server, self.send) = (server, send)
    }
}

/// The owner of tokens, and the server that they are for.
package struct ConnectionKey: Sendable, Hashable {
    package let server: String
    /// Empty for the login that all who may use the server share.
    package let account: String

    package init(server: String, account: String = "") {
        (self.server, self.account) = (server, account)
    }

    /// The primary key of the row, as text. A server's id has no slash.
    var row: String { "\(server)/\(account)" }
}

extension OAuthFault {
    /// The error that a client gets.
    package var apiError: APIError {
        switch code {
        case .unreachable:
            .unavailable(code.rawValue, "Another server is needed for the login: \(detail).", retryAfter: 10)
        case .unknownState, .otherBrowser, .mixedUp, .malformedCallback, .loginRefused, .codeRefused:
            APIError(.permission, status: 403, code: code.rawValue, message: "No login: \(detail).")
        default:
            APIError(.invalidRequest, status: 422, code: code.rawValue, message: "No login: \(detail).")
        }
    }
}

extension APIError {
    /// A person must log in at the server (again).
    package static let needsLogin = APIError(
        .conflict,
        status: 409,
        code: "needs_login",
        message: "A person must log in at this server: connect it."
    )
}

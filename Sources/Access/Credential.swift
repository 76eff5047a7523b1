package import HTTPModel

/// Reads the credential of a request.
package enum Credential {
    package static let missing = APIError(
        .authentication,
        status: 401,
        code: "missing_api_key",
        message: "Send a credential as 'Authorization: Bearer ...' or 'x-api-key: ...'."
    )

    /// Longer than any credential that this server issues.
    private static let maximumLength = 4096

    static func read(from headers: HTTPHeaders) throws(APIError) -> String? {
        let bearer = try bearerToken(headers["authorization"])
        let offered = offeredToken(headers["sec-websocket-protocol"])
        guard let credential = bearer ?? headers["x-api-key"] ?? offered, !credential.isEmpty else { return nil }
        guard credential.utf8.count <= maximumLength else {
            throw .invalid("invalid_credential", "The credential is too long.")
        }
        return credential
    }

    /// Browsers let a page set no WebSocket header except the subprotocols, so one of them may be `bearer.` and the
    /// credential. The server never selects it, so it is never sent back. libwebsockets drops a list of more than 127
    /// bytes. Device tokens are longer, so devices use tickets.
    private static func offeredToken(_ header: String?) -> String? {
        offered("bearer.", in: header).map { String($0) }
    }

    /// The rest of the subprotocol that begins with `prefix`.
    static func offered(_ prefix: String, in header: String?) -> Substring? {
        header?.split(separator: ",").lazy
            .map { $0.drop { $0 == " " } }
            .first { $0.hasPrefix(prefix) }
            .map { $0.dropFirst(prefix.count).prefix { $0 != " " } }
    }

    private static func bearerToken(_ header: String?) throws(APIError) -> String? {
        guard let header else { return nil }
        let scheme = "bearer "
        guard header.utf8.count > scheme.utf8.count, zip(scheme.utf8, header.utf8).allSatisfy({ $0 == $1 | 0x20 })
        else {
            throw APIError(
                .authentication,
                status: 401,
                code: "invalid_authorization",
                message: "The Authorization header must read 'Bearer ...'."
            )
        }
        return String(header.utf8.dropFirst(scheme.utf8.count).drop { $0 == UInt8(ascii: " ") }) ?? ""
    }
}

package import EventModel
internal import JSON

/// Checks the texts of tokens, which go into headers and forms.
enum TokenText {
    private static let mostBytes = 7000

    static func isCredential(_ text: String) -> Bool {
        (1...mostBytes).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

/// Tokens, as an authorization server has issued them.
package struct IssuedGrant: Sendable, Equatable {
    package var accessToken: String
    /// `nil` if the server gives none.
    package var refreshToken: String?
    /// `nil` if the server does not say.
    package var expiresAt: Timestamp?
    /// `nil` if the server does not say: then it is what was asked for (RFC 6749 section 5.1).
    package var scope: String?
}

extension IssuedGrant: CustomStringConvertible, CustomReflectable {
    package var description: String { "tokens" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The answer of a token endpoint.
package enum TokenAnswer: Sendable, Equatable {
    case issued(IssuedGrant)
    /// The code or the refresh token counts no more: `invalid_grant`, or the client is unknown by now. No retry helps.
    case refused
    /// The server fails, or it refuses what a later request may have. A retry may help.
    case failed(status: Int)
    /// The server says that it has issued tokens, but has not.
    case malformed

    private static let mostSeconds: Int64 = 10 * 366 * 86_400

    package init(status: Int, _ body: [UInt8], now: Timestamp) {
        let json = try? JSONValue.parse(body, maxDepth: 16)
        guard (200...299).contains(status) else {
            let error = json?["error"]?.string
            let isFinal = ["invalid_grant", "invalid_client", "unauthorized_client"].contains(error)
            self = isFinal && (400...499).contains(status) ? .refused : .failed(status: status)
            return
        }
        guard let json, let token = json["access_token"]?.string, TokenText.isCredential(token),
            json["token_type"]?.string?.lowercased() == "bearer"
        else {
            self = .malformed
            return
        }
        let refresh = json["refresh_token"]?.string
        let seconds = json["expires_in"]?.integer ?? json["expires_in"]?.string.flatMap { Int64($0) }
        let scope = json["scope"]?.string.flatMap(OAuthScope.names)
        guard refresh.map(TokenText.isCredential) ?? true, seconds.map({ $0 >= 0 }) ?? true else {
            self = .malformed
            return
        }
        self = .issued(
            IssuedGrant(
                accessToken: token,
                refreshToken: refresh,
                expiresAt: seconds.map { now.adding(seconds: Double(min($0, TokenAnswer.mostSeconds))) },
                scope: scope.flatMap { $0.isEmpty ? nil : $0.joined(separator: " ") }
            )
        )
    }
}

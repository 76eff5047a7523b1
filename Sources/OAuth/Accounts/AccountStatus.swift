package import EventModel
internal import HTTPClient

/// The states of a connected account, in the words of Composio's API.
package enum AccountStatus: String, Sendable, CaseIterable {
    /// There is a link that nobody has followed.
    case initializing = "INITIALIZING"
    /// A person has followed the link to the authorization server.
    case initiated = "INITIATED"
    /// The tokens are valid, as far as is known.
    case active = "ACTIVE"
    /// The login has failed, or was refused.
    case failed = "FAILED"
    /// The link was not followed in time, or the tokens are no longer valid.
    case expired = "EXPIRED"
    /// No account of this server has this status, but clients may ask for it.
    case inactive = "INACTIVE"
    /// The operator or the program has had the tokens revoked.
    case revoked = "REVOKED"

    /// Whether only another link can make the account active.
    package var isFinal: Bool { [.failed, .expired, .revoked].contains(self) }
}

extension StoredAccount {
    /// Whether calls can use the tokens.
    package var isUsable: Bool { state != .revoked && hasTokens }

    private var hasTokens: Bool {
        guard let login, login.isConnected, let url = HTTPLocation(url) else { return false }
        return HTTPLocation(login.resource)?.covers(url) == true
    }

    /// The status, and a word for the reason. Tokens of an earlier login stay valid if a later one fails.
    package func status(at now: Timestamp) -> (status: AccountStatus, reason: String?) {
        if state == .revoked { return (.revoked, reason) }
        let isPending = state == .initializing || state == .initiated
        let isInTime = linkExpiresAt.map { now < $0 } ?? false
        if isPending, isInTime { return (state == .initiated ? .initiated : .initializing, nil) }
        if hasTokens { return (.active, login?.wantedScope == nil ? nil : OAuthFault.Code.insufficientScope.rawValue) }
        if let login { return (.expired, login.isConnected ? "server_moved" : login.reason) }
        switch state {
        case .failed: return (.failed, reason)
        case .initializing, .initiated: return (.expired, "link_expired")
        case .active, .revoked: return (.expired, reason)
        }
    }
}

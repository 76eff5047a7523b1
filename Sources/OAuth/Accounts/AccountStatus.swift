package import EventModel
internal import HTTPClient

/// The words of the tool router's dialect for what is known of a connected account.
package enum AccountStatus: String, Sendable, CaseIterable {
    /// There is a link that nobody has followed.
    case initializing = "INITIALIZING"
    /// A person has followed the link to the authorization server.
    case initiated = "INITIATED"
    /// The tokens count, as far as is known.
    case active = "ACTIVE"
    /// The login has failed, or was refused.
    case failed = "FAILED"
    /// The link was not followed in time, or the tokens count no more.
    case expired = "EXPIRED"
    /// No account has it here. Clients may ask for it.
    case inactive = "INACTIVE"
    /// The operator has removed the tokens.
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

    /// The status, and a word that says why. Tokens of an earlier login count on if a later one fails.
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

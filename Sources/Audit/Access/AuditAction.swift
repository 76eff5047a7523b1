/// The actions in the audit log.
package enum AuditAction: String {
    case createPairing = "pairing.create"
    case renewPairing = "pairing.renew"
    case turnInCode = "pairing.code"
    case requestPairing = "pairing.request"
    case approvePairing = "pairing.approve"
    case rejectPairing = "pairing.reject"
    case pair = "pairing.exchange"
    case signIn = "apple.sign_in"
    case removeIdentity = "identity.remove"
    case refresh = "token.refresh"
    case signOut = "token.revoke"
    case revokeDevice = "device.revoke"
    case renameDevice = "device.rename"
    case grantCapability = "device.grant"
    case withdrawCapability = "device.withdraw"
    case createKey = "key.create"
    case revokeKey = "key.revoke"
    case grantKey = "key.grant"
    case withdrawFromKey = "key.withdraw"
    case createAPIKey = "api_key.create"
    case revokeAPIKey = "api_key.revoke"
    case addServer = "mcp_server.add"
    case changeServer = "mcp_server.change"
    case removeServer = "mcp_server.remove"
    case setProfile = "mcp_profile.set"
    case removeProfile = "mcp_profile.remove"
    case acceptTool = "tool.accept"
    case runTool = "tool.run"
    case limitTools = "session.tools"
    case prepareSecretKey = "secrets.prepare"
    case rotateSecretKey = "secrets.rotate"
    case connectServer = "mcp.connect"
    case finishLogin = "mcp.login"
    case disconnectServer = "mcp.disconnect"
    case linkAccount = "account.link"
    case revokeAccount = "account.revoke"
    case removeAccount = "account.remove"
    case guess = "credential.guess"
    case setPushPreferences = "push_preferences.set"
    case erase = "data.erase"
    case removePushPreferences = "push_preferences.remove"
}

/// A result in the audit log, as one word.
package struct AuditResult: Equatable {
    package let word: String

    package static let granted = AuditResult(word: "granted")
    /// Waits for a person's decision.
    package static let pending = AuditResult(word: "pending")
    package static let rejected = AuditResult(word: "rejected")
    package static let unknown = AuditResult(word: "unknown")
    /// The caller may administer, but not perform this action.
    package static let forbidden = AuditResult(word: "forbidden")
    package static let reuse = AuditResult(word: "reuse")
    /// The token is valid, but the person is not admitted.
    package static let notAdmitted = AuditResult(word: "not_admitted")
    package static let unknownKey = AuditResult(word: "unknown_key")
    package static let replayedNonce = AuditResult(word: "replayed_nonce")
    package static let keysUnavailable = AuditResult(word: "keys_unavailable")

    package init(word: String) {
        self.word = word
    }
}

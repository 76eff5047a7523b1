internal import EventModel
internal import JSON

/// The answer with a link by which a user logs in. No other answer has its token.
enum LinkAnswer {
    static let shape = ObjectShape<ConnectionLink>("RouterLink") { it in
        it.member("connected_account_id") { $0.accountID }
        it.member("link_token") { $0.token }
        it.member("redirect_url") { $0.url }
        it.member("expires_at") { $0.expiresAt }
        // The names that the first Swift client reads.
        it.member("connectedAccountId") { $0.accountID }
        it.member("linkToken") { $0.token }
        it.member("redirectUrl") { $0.url }
    }

    /// The answer's form for an older request for a link.
    static let initiated = ObjectShape<ConnectionLink>("RouterInitiatedAccount") { it in
        it.member("id") { $0.accountID }
        it.constant("status", "INITIATED")
        it.member("redirect_url") { $0.url }
        it.member("redirect_uri") { $0.url }
        it.object("connectionData") { it in
            it.constant("authScheme", "OAUTH2")
            it.object("val") { it in
                it.constant("status", "INITIATED")
                it.member("redirectUrl") { $0.url }
                it.member("redirect_url") { $0.url }
            }
        }
    }
}

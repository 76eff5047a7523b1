internal import EventModel
internal import JSON

/// A link by which a user logs in, as it is told. Only this answer has its token.
enum LinkAnswer {
    static let shape = ObjectShape<ConnectionLink>("RouterLink") { it in
        it.member("connected_account_id") { $0.accountID }
        it.member("link_token") { $0.token }
        it.member("redirect_url") { $0.url }
        it.member("expires_at") { $0.expiresAt }
        // As the first Swift client names them.
        it.member("connectedAccountId") { $0.accountID }
        it.member("linkToken") { $0.token }
        it.member("redirectUrl") { $0.url }
    }

    /// The form of an older request for the same.
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

internal import API
internal import EventModel
internal import HTTPModel
internal import Persistence
internal import Signing

/// Logins that begin with a link.
extension AccountService {
    /// The account of a link that is still valid. Throws 404 if there is none.
    func linked(_ token: String) async throws(APIError) -> StoredAccount {
        let (sha256, now) = (Digest.sha256(Array(token.utf8)), clock())
        let found = try await database.use { store throws(PersistenceError) in
            try await store.linkedAccount(sha256, now: now)
        }
        guard let found else { throw AccountService.linkGone }
        return found
    }

    /// Uses the link up, and returns the address where the person logs in. If another server cannot be reached, the
    /// link stays valid.
    ///
    /// - Parameter browser: the secret that the browser keeps in a cookie.
    func follow(
        _ token: String,
        browser: String,
        _ request: HTTPRequest,
        _ caller: Caller
    ) async throws(APIError) -> String {
        let before = try await linked(token)
        var wish = LoginWish(redirectURI: try place.redirectURI(for: request), browser: browser)
        (wish.document, wish.startedBy) = (place.document, "api_key:\(before.owner.apiKey)")
        let (sha256, now) = (Digest.sha256(Array(token.utf8)), clock())
        let id = try await database.use { store throws(PersistenceError) in
            let until = now.adding(seconds: PendingLogin.seconds)
            return try await store.followLink(sha256, until: until, now: now)
        }
        guard id == before.id else { throw AccountService.linkGone }
        do throws(APIError) {
            let url = try await logins.begin(before.key, wish, caller).url
            await tell()
            return url
        } catch {
            let link = StoredLink(tokenSHA256: sha256, expiresAt: before.linkExpiresAt ?? now)
            let code = error.code
            try await database.use { store throws(PersistenceError) in
                if error.status == 503 {
                    try await store.giveLinkBack(before.id, link, now: now)
                } else {
                    try await store.failAccount(before.id, code, now: now)
                }
            }
            await tell()
            throw error
        }
    }

    /// A login has ended. Returns the address to which the program wants the browser sent; `nil` if the login is not of
    /// an account, or if another browser came back.
    func ended(_ end: LoginEnd) async -> String? {
        guard let key = end.key, !key.account.isEmpty else { return nil }
        let now = clock()
        if let code = end.error?.code {
            try? await database.use { store throws(PersistenceError) in
                try await store.failAccount(key.account, code, now: now)
            }
        }
        await tell()
        guard end.isSameBrowser, let found = try? await account(key.account, ofKey: nil),
            let callback = found.callbackURL
        else { return nil }
        return CallbackRules.address(callback, account: key.account, isConnected: end.error == nil)
    }

    static let linkGone = APIError.notFound(
        "unknown_link",
        "This link does not count, or no more: it counts once and for ten minutes. Ask for another one."
    )
}

import EventModel
import Testing

@testable import OAuth

@Suite struct AccountStatusTests {
    private let now = OAuthTests.now

    private func account(_ state: StoredAccount.State, linkSeconds: Double? = nil) -> StoredAccount {
        StoredAccount(
            id: "ca_1",
            owner: AccountOwner(apiKey: 7, user: "anna"),
            keyName: "crm",
            serverID: "mcp_1",
            server: "tools",
            state: state,
            reason: state == .failed ? "login_refused" : state == .revoked ? "removed_by_operator" : nil,
            linkExpiresAt: linkSeconds.map { now.adding(seconds: $0) },
            createdAt: now,
            updatedAt: now,
            url: "https://tools.example/mcp"
        )
    }

    private func login(_ resource: String = "https://tools.example/mcp", connected: Bool = true) -> StoredAccount.Login
    {
        StoredAccount.Login(
            isConnected: connected,
            reason: connected ? nil : "refresh_refused",
            resource: resource,
            clientID: "c",
            isRegistered: true
        )
    }

    private func expect(
        _ account: StoredAccount,
        _ status: AccountStatus,
        _ reason: String? = nil,
        at location: SourceLocation = #_sourceLocation
    ) {
        let found = account.status(at: now)
        #expect(found.status == status, sourceLocation: location)
        #expect(found.reason == reason, sourceLocation: location)
    }

    @Test func withoutTokens() {
        expect(account(.initializing, linkSeconds: 1), .initializing)
        expect(account(.initiated, linkSeconds: 1), .initiated)
        expect(account(.initializing, linkSeconds: 0), .expired, "link_expired")
        expect(account(.initiated, linkSeconds: 0), .expired, "link_expired")
        expect(account(.failed), .failed, "login_refused")
        expect(account(.revoked), .revoked, "removed_by_operator")
    }

    @Test func withTokens() {
        var active = account(.active)
        active.login = login()
        expect(active, .active)
        #expect(active.isUsable)
        active.login?.wantedScope = "write"
        expect(active, .active, "insufficient_scope")
        active.login = login(connected: false)
        expect(active, .expired, "refresh_refused")
        #expect(!active.isUsable)
        active.login = login("https://elsewhere.example/mcp")
        expect(active, .expired, "server_moved")
        #expect(!active.isUsable)
    }

    /// Tokens of an earlier login count while a later one is under way, and after it has failed.
    @Test func aSecondLogin() {
        for (state, status) in [(StoredAccount.State.initializing, AccountStatus.initializing), (.failed, .active)] {
            var second = account(state, linkSeconds: 1)
            second.login = login()
            expect(second, status)
            #expect(second.isUsable)
        }
        var revoked = account(.revoked)
        revoked.login = login()
        expect(revoked, .revoked, "removed_by_operator")
        #expect(!revoked.isUsable)
    }
}

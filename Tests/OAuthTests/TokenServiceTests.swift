import HTTPClient
import HTTPModel
import Synchronization
import Testing

@testable import OAuth

@Suite struct TokenServiceTests {
    private let sample: OAuthSample

    init() throws { sample = try OAuthSample() }

    private func code(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? APIError)?.code ?? "\(error)"
        }
    }

    @Test func tokenIsRefreshedBeforeItExpires() async throws {
        try await sample.connect()
        sample.clock.advance(3539)
        #expect(try await sample.token().text == "access-1")
        sample.clock.advance(1)
        #expect(try await sample.token().text == "access-2")
        sample.clock.advance(3540)
        #expect(try await sample.token().text == "access-3")
        #expect(sample.issuer.state.withLock { $0.refreshable } == ["refresh-3"])
    }

    @Test func fiftyCallersOnTwoServersRefreshOnce() async throws {
        try await sample.connect()
        sample.clock.advance(3600)
        let (sample, other) = (sample, try sample.otherServer())
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<50 {
                group.addTask { try await sample.token(by: index % 2 == 0 ? nil : other).text }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(texts == ["access-2"])
        #expect(sample.issuer.state.withLock { $0.refreshes } == 1)
    }

    @Test func fiftyRefusedCallersRefreshOnce() async throws {
        try await sample.connect()
        let (sample, other) = (sample, try sample.otherServer())
        let values = try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<50 {
                group.addTask {
                    try await (index % 2 == 0 ? sample.tokens : other)
                        .withToken(OAuthSample.key, at: Sample.server) { token throws(APIError) in
                            token?.text == "access-1" ? .unauthorized : .done(token?.text ?? "none")
                        }
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(values == ["access-2"])
        #expect(sample.issuer.state.withLock { $0.refreshes } == 1)
    }

    @Test func secondRefusalNeedsALogin() async throws {
        try await sample.connect()
        let sample = sample
        let attempts = Atomic(0)
        let failed = await code {
            _ = try await sample.tokens.withToken(OAuthSample.key, at: Sample.server) {
                _ throws(APIError) -> TokenAttempt<Int> in
                attempts.add(1, ordering: .relaxed)
                return .unauthorized
            }
        }
        #expect(failed == "needs_login" && attempts.load(ordering: .relaxed) == 2)
        #expect(try await sample.tokens.connection(OAuthSample.key)?.isConnected == false)
        #expect(await code { _ = try await sample.token() } == "needs_login")
        try await sample.connect()
        #expect(try await sample.token().text == "access-3")
    }

    @Test func withoutALoginTheRequestHasNoToken() async throws {
        let value = try await sample.tokens.withToken(OAuthSample.key, at: Sample.server) { token throws(APIError) in
            .done(token == nil)
        }
        #expect(value)
        let sample = sample
        let failed = await code {
            _ = try await sample.tokens.withToken(OAuthSample.key, at: Sample.server) {
                _ throws(APIError) -> TokenAttempt<Int> in .unauthorized
            }
        }
        #expect(failed == "needs_login")
    }

    @Test func revokedRefreshTokenNeedsALogin() async throws {
        try await sample.connect()
        sample.issuer.state.withLock { $0.refreshable = [] }
        sample.clock.advance(3600)
        let sample = sample
        #expect(await code { _ = try await sample.token() } == "needs_login")
        let found = try #require(try await sample.tokens.connection(OAuthSample.key))
        #expect(!found.isConnected && found.reason == "refresh_refused")
        #expect(found.accessToken == nil && found.refreshToken == nil)
    }

    @Test func failingIssuerLeavesTheTokenForAsLongAsItLives() async throws {
        try await sample.connect()
        sample.clock.advance(3550)
        sample.issuer.state.withLock { $0.failures = [503, 503, 429] }
        #expect(try await sample.token().text == "access-1")
        sample.clock.advance(50)
        let sample = sample
        #expect(await code { _ = try await sample.token() } == "unreachable")
        #expect(await code { _ = try await sample.token() } == "unreachable")
        #expect(try await sample.token().text == "access-2")
    }

    @Test func withoutARefreshTokenALoginIsNeededAtTheEnd() async throws {
        sample.issuer.state.withLock { $0.givesRefreshTokens = false }
        try await sample.connect()
        sample.clock.advance(3599)
        #expect(try await sample.token().text == "access-1")
        sample.clock.advance(1)
        let sample = sample
        #expect(await code { _ = try await sample.token() } == "needs_login")
    }

    @Test(arguments: [
        "https://evil.example/mcp", "http://tools.example/mcp", "https://tools.example:8443/mcp",
        "https://tools.example/other", "https://tools.example/mcp/../admin",
    ])
    func tokenGoesNowhereElse(address: String) async throws {
        try await sample.connect()
        let sample = sample
        let failed = await code {
            _ = try await sample.tokens.token(OAuthSample.key, at: place(address), after: nil)
        }
        #expect(failed == "needs_login")
    }

    @Test func accountsHaveTheirOwnTokens() async throws {
        try await sample.connect()
        let other = ConnectionKey(server: "mcp_1", account: "key_1/user")
        #expect(try await sample.tokens.token(other, at: Sample.server, after: nil) == nil)
    }

    @Test func disconnectingRevokesBothTokens() async throws {
        try await sample.connect()
        #expect(try await sample.tokens.disconnect(OAuthSample.key) == true)
        let forms = sample.issuer.state.withLock { $0.revoked }
        #expect(forms.map { QueryParameters($0)["token"] } == ["refresh-1", "access-1"])
        #expect(try await sample.tokens.connection(OAuthSample.key) == nil)
        #expect(try await sample.tokens.disconnect(OAuthSample.key) == nil)
    }

    @Test func serverThatDiesWhileItRefreshesHoldsNobodyUpForever() async throws {
        try await sample.connect()
        sample.clock.advance(3600)
        let key = OAuthSample.key
        // A lease that ends at once stands for one of a server that is gone.
        let found = try #require(try await sample.store.store().oauthConnection(key))
        let claimed = try await sample.store.store().claimRefresh(key, of: found.generation, seconds: 0.05)
        #expect(claimed != nil)
        #expect(try await sample.token().text == "access-2")
    }
}

import HTTPModel
import Testing

@testable import OAuth

@Suite struct LoginServiceTests {
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

    @Test func loginGivesTokens() async throws {
        #expect(try await sample.tokens.token(OAuthSample.key, at: Sample.server, after: nil) == nil)
        try await sample.connect()
        #expect(try await sample.token().text == "access-1")
        let found = try #require(try await sample.tokens.connection(OAuthSample.key))
        #expect(found.isConnected && found.issuer == Sample.issuer && found.scope == "read")
        #expect(found.resource == "https://tools.example/mcp" && found.clientID == "client-1")
        let form = QueryParameters(sample.issuer.state.withLock { $0.forms[0] })
        #expect(form["code"] == "the-code" && form["resource"] == "https://tools.example/mcp")
        #expect(form["code_verifier"]?.utf8.count == 43)
    }

    @Test func registersOnce() async throws {
        try await sample.connect()
        try await sample.connect()
        #expect(sample.issuer.state.withLock { $0.registrations } == 1)
        #expect(try await sample.token().text == "access-2")
    }

    @Test func refusedCodeMakesTheNextLoginRegister() async throws {
        let state = try await sample.begin()
        let sample = sample
        // The issuer knows the client no more.
        sample.issuer.refuseNext()
        #expect(await code { try await sample.finish(state) } == "code_refused")
        try await sample.connect()
        #expect(sample.issuer.state.withLock { $0.registrations } == 2)
    }

    @Test func stateCountsOnce() async throws {
        let state = try await sample.begin()
        try await sample.finish(state)
        let sample = sample
        #expect(await code { try await sample.finish(state) } == "unknown_state")
        #expect(sample.issuer.state.withLock { $0.issued } == 1)
    }

    @Test func stateOfNobodyIsRefused() async throws {
        let sample = sample
        #expect(await code { try await sample.finish(String(repeating: "x", count: 43)) } == "unknown_state")
    }

    @Test(arguments: [nil, String(repeating: "c", count: 43)] as [String?])
    func otherBrowserIsRefusedAndEndsTheLogin(browser: String?) async throws {
        let state = try await sample.begin()
        let sample = sample
        #expect(await code { try await sample.finish(state, browser: browser) } == "other_browser")
        #expect(await code { try await sample.finish(state) } == "unknown_state")
        #expect(sample.issuer.state.withLock { $0.issued } == 0)
    }

    @Test func loginEndsAfterTenMinutes() async throws {
        let state = try await sample.begin()
        sample.clock.advance(600)
        let sample = sample
        #expect(await code { try await sample.finish(state) } == "unknown_state")
    }

    @Test(arguments: ["&code=a&iss=https%3A%2F%2Fevil.example", "&error=access_denied&iss=https%3A%2F%2Fevil.example"])
    func answerOfAnotherIssuerIsRefused(rest: String) async throws {
        let state = try await sample.begin()
        let sample = sample
        #expect(await code { try await sample.finish(state, rest) } == "mixed_up")
        #expect(sample.issuer.state.withLock { $0.forms } == [])
    }

    @Test func refusalOfThePersonIsPassedOn() async throws {
        let state = try await sample.begin()
        let sample = sample
        #expect(await code { try await sample.finish(state, "&error=access_denied") } == "login_refused")
    }

    @Test(
        arguments: [
            ("issuer", #""https://evil.example""#, "issuer_mismatch"),
            ("code_challenge_methods_supported", nil, "no_pkce"),
            ("token_endpoint", #""https://evil.example/token""#, "foreign_endpoint"),
            ("registration_endpoint", nil, "no_registration"),
        ] as [(String, String?, String)]
    )
    func lyingDocumentsBeginNoLogin(member: String, value: String?, expected: String) async throws {
        sample.issuer.state.withLock { $0.metadata = [member: value] }
        let sample = sample
        #expect(await code { _ = try await sample.begin() } == expected)
        #expect(sample.issuer.state.withLock { $0.registrations } == 0)
    }

    @Test func noSecretIsInTheDatabaseOrTheLog() async throws {
        let state = try await sample.begin()
        var dump = try await sample.dump()
        try await sample.finish(state)
        dump += try await sample.dump() + sample.lines.all.joined(separator: "\n")
        let verifier = try #require(QueryParameters(sample.issuer.state.withLock { $0.forms[0] })["code_verifier"])
        for secret in ["access-1", "refresh-1", "hush-secret", verifier, state, OAuthSample.browser, "the-code"] {
            #expect(!dump.contains(secret), "\(secret)")
            let hex = secret.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            #expect(!dump.contains(hex), "\(secret) as bytes")
        }
        #expect(dump.contains("mcp.login"))
    }
}

import EventModel
import HTTPModel
import Signing
import Testing

@testable import OAuth

@Suite struct TokenTests {
    private func form(_ form: TokenForm) -> QueryParameters {
        QueryParameters(String(decoding: form.body, as: UTF8.self))
    }

    @Test func formOfAPublicClient() throws {
        let login = try Sample.login()
        let sent = TokenForm(code: "the code", of: login)
        #expect(sent.endpoint == place("https://login.example/token") && sent.authorization == nil)
        #expect(form(sent)["code"] == "the code" && form(sent)["code_verifier"] == login.verifier)
        #expect(form(sent)["resource"] == "https://tools.example/mcp" && form(sent)["client_id"] == "c")
        #expect(!"\(sent)".contains("code"))
        let refresh = form(TokenForm(refreshing: "r&1", of: TokenGrant(of: login)))
        #expect(refresh["grant_type"] == "refresh_token" && refresh["refresh_token"] == "r&1")
        #expect(refresh["resource"] == "https://tools.example/mcp")
    }

    @Test func secretGoesIntoOnePlace() throws {
        var grant = TokenGrant(of: try Sample.login(client: OAuthClient(id: "c:1", secret: "s/2")))
        let basic = TokenForm(revoking: "t", "access_token", at: place("https://login.example/revoke"), of: grant)
        #expect(basic.authorization == "Basic " + Base64.encode(Array("c%3A1:s%2F2".utf8)))
        #expect(form(basic)["client_secret"] == nil && form(basic)["token_type_hint"] == "access_token")
        grant.sendsSecretInForm = true
        let post = TokenForm(refreshing: "t", of: grant)
        #expect(post.authorization == nil && form(post)["client_secret"] == "s/2" && form(post)["client_id"] == "c:1")
    }

    private static func issued(_ token: String, refresh: String? = nil, seconds: Double? = nil, scope: String? = nil)
        -> TokenAnswer
    {
        let expiresAt = seconds.map { now.adding(seconds: $0) }
        return .issued(IssuedGrant(accessToken: token, refreshToken: refresh, expiresAt: expiresAt, scope: scope))
    }

    @Test(
        arguments: [
            (200, #"{"access_token":"a","token_type":"Bearer"}"#, TokenTests.issued("a")),
            (
                200, #"{"access_token":"a","token_type":"bearer","refresh_token":"r","expires_in":60,"scope":"x y"}"#,
                TokenTests.issued("a", refresh: "r", seconds: 60, scope: "x y")
            ),
            (
                200, #"{"access_token":"a","token_type":"Bearer","expires_in":"60"}"#,
                TokenTests.issued("a", seconds: 60)
            ),
            (200, #"{"access_token":"a","token_type":"Bearer","expires_in":0}"#, TokenTests.issued("a", seconds: 0)),
            (200, #"{"access_token":"a","token_type":"Bearer","expires_in":-1}"#, .malformed),
            (200, #"{"access_token":"a\r\nX: y","token_type":"Bearer"}"#, .malformed),
            (200, #"{"access_token":"a","token_type":"DPoP"}"#, .malformed),
            (200, #"{"access_token":"a"}"#, .malformed),
            (200, #"{"token_type":"Bearer"}"#, .malformed), (200, "<html>", .malformed),
            (200, #"{"access_token":"","token_type":"Bearer"}"#, .malformed),
            (400, #"{"error":"invalid_grant"}"#, .refused), (401, #"{"error":"invalid_client"}"#, .refused),
            (400, #"{"error":"invalid_request"}"#, .failed(status: 400)), (429, "", .failed(status: 429)),
            (503, #"{"error":"invalid_grant"}"#, .failed(status: 503)), (302, "", .failed(status: 302)),
        ] as [(Int, String, TokenAnswer)]
    )
    func reads(status: Int, body: String, expected: TokenAnswer) {
        #expect(TokenAnswer(status: status, Array(body.utf8), now: now) == expected)
    }

    @Test func expiryIsBounded() throws {
        let body = #"{"access_token":"a","token_type":"Bearer","expires_in":9223372036854775807}"#
        guard case .issued(let tokens) = TokenAnswer(status: 200, Array(body.utf8), now: now) else {
            Issue.record("not issued")
            return
        }
        #expect(try #require(tokens.expiresAt).seconds(since: now) == 10 * 366 * 86_400)
    }

    @Test(arguments: [
        ("https://tools.example/mcp", true), ("https://tools.example/mcp/", true),
        ("https://tools.example/mcp/x?y=1", true), ("https://tools.example/mcpx", false),
        ("https://tools.example/", false), ("https://tools.example/mcp/../x", false),
        ("http://tools.example/mcp", false), ("https://tools.example:8443/mcp", false),
        ("https://evil.example/mcp", false), ("https://tools.example.evil.example/mcp", false),
    ])
    func tokenGoesToItsOwnResourceOnly(address: String, isAdmitted: Bool) throws {
        #expect(TokenGrant(of: try Sample.login()).admits(place(address)) == isAdmitted)
    }
}

@Suite struct RefreshPlanTests {
    private typealias State = RefreshPlan.State
    private func at(_ seconds: Double) -> Timestamp { now.adding(seconds: seconds) }

    @Test(
        arguments: [
            (RefreshPlan.State(), nil, RefreshPlan.Action.use),
            (RefreshPlan.State(expiresAt: now.adding(seconds: 61)), nil, .use),
            (RefreshPlan.State(expiresAt: now.adding(seconds: 60)), nil, .refresh),
            (RefreshPlan.State(expiresAt: now.adding(seconds: -1)), nil, .refresh),
            (RefreshPlan.State(hasRefreshToken: false, expiresAt: now.adding(seconds: 1)), nil, .use),
            (RefreshPlan.State(hasRefreshToken: false, expiresAt: now), nil, .login),
            (RefreshPlan.State(generation: 3), 3, .refresh), (RefreshPlan.State(generation: 3), 2, .use),
            (RefreshPlan.State(generation: 3, hasRefreshToken: false), 3, .login),
            (RefreshPlan.State(isConnected: false), nil, .login),
            (RefreshPlan.State(hasAccessToken: false), nil, .refresh),
            (RefreshPlan.State(hasAccessToken: false, hasRefreshToken: false), nil, .login),
            (
                RefreshPlan.State(expiresAt: now, refreshingUntil: now.adding(seconds: 5)), nil,
                .wait(until: now.adding(seconds: 5))
            ),
            (RefreshPlan.State(expiresAt: now, refreshingUntil: now), nil, .refresh),
            (
                RefreshPlan.State(expiresAt: now.adding(seconds: 100), refreshingUntil: now.adding(seconds: 5)), nil,
                .use
            ),
        ] as [(RefreshPlan.State, Int64?, RefreshPlan.Action)]
    )
    func next(state: RefreshPlan.State, refused: Int64?, expected: RefreshPlan.Action) {
        #expect(RefreshPlan().next(state, refused: refused, now: now) == expected)
    }
}

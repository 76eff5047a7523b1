import EventModel
import HTTPModel
import JSON
import Signing
import Testing

@testable import OAuth

@Suite struct LoginTests {
    private let state = String(repeating: "s", count: 43)

    @Test func authorizationURLHasPKCEAndTheResource() throws {
        let login = try Sample.login()
        let url = login.authorizationURL(place("https://login.example/authorize"), state: state)
        #expect(url.hasPrefix("https://login.example/authorize?response_type=code&"))
        let query = QueryParameters(String(url.split(separator: "?")[1]))
        // The example of RFC 7636, appendix B.
        #expect(query["code_challenge"] == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(query["code_challenge_method"] == "S256")
        #expect(query["resource"] == "https://tools.example/mcp")
        #expect(query["redirect_uri"] == "https://monitor.example/oauth/callback")
        #expect(query["state"] == state && query["client_id"] == "c" && query["scope"] == "read")
        #expect(!url.contains(login.verifier))
        let more = login.authorizationURL(place("https://login.example/a?tenant=1"), state: state)
        #expect(more.hasPrefix("https://login.example/a?tenant=1&response_type=code&"))
    }

    @Test(
        arguments: [
            ("code=abc", false, nil), ("code=abc&iss=https%3A%2F%2Flogin.example", false, nil),
            ("code=abc&iss=https%3A%2F%2Flogin.example", true, nil), ("code=abc", true, OAuthFault.Code.mixedUp),
            ("code=abc&iss=https%3A%2F%2Fevil.example", false, .mixedUp),
            ("code=abc&iss=https%3A%2F%2Flogin.example%2F", false, .mixedUp), ("code=abc&iss=", false, .mixedUp),
            ("error=access_denied", false, .loginRefused), ("error=access_denied", true, .mixedUp),
            ("error=access_denied&iss=https%3A%2F%2Fevil.example", false, .mixedUp),
            ("code=abc&error=access_denied", false, .loginRefused), ("", false, .malformedCallback),
            ("code=", false, .malformedCallback), ("code=a&code=b", false, .malformedCallback),
            ("code=a&iss=x&iss=y", false, .malformedCallback),
        ] as [(String, Bool, OAuthFault.Code?)]
    )
    func callback(query: String, namesIssuer: Bool, expected: OAuthFault.Code?) throws {
        let login = try Sample.login(["authorization_response_iss_parameter_supported": "\(namesIssuer)"])
        let found = fault { try login.check(try LoginCallback("state=\(state)&\(query)")) }
        #expect(found == expected)
    }

    @Test(arguments: ["code=a", "state=&code=a", "state=short&code=a", "state=a&state=b&code=c"])
    func refusesAStateThatIsNone(query: String) {
        #expect(fault { try LoginCallback(query) } == .malformedCallback)
    }

    @Test func unknownErrorsAreNotPassedOn() throws {
        #expect(try LoginCallback("state=\(state)&error=%3Cscript%3E").error == "other")
    }

    @Test func onlyTheBrowserThatLeftMayComeBack() {
        let digest = Digest.sha256(Array("mine".utf8))
        let end = now.adding(seconds: 600)
        #expect(fault { try PendingLogin.admit(browser: digest, "mine", until: end, now: now) } == nil)
        #expect(fault { try PendingLogin.admit(browser: digest, "other", until: end, now: now) } == .otherBrowser)
        #expect(fault { try PendingLogin.admit(browser: digest, nil, until: end, now: now) } == .otherBrowser)
        #expect(fault { try PendingLogin.admit(browser: digest, "mine", until: end, now: end) } == .unknownState)
    }

    @Test func comesBackFromStorage() throws {
        var login = try Sample.login(
            ["token_endpoint_auth_methods_supported": #"["client_secret_post"]"#],
            client: OAuthClient(id: "c", secret: "hush")
        )
        #expect(PendingLogin(stored: login.stored) == login)
        (login.scope, login.revocationEndpoint, login.client) = (nil, nil, OAuthClient(id: "d"))
        #expect(PendingLogin(stored: login.stored) == login)
        #expect(PendingLogin(stored: Array("{}".utf8)) == nil)
        #expect(!"\(login)".contains(login.verifier) && !String(reflecting: login).contains(login.verifier))
    }

    @Test func choosesAClient() throws {
        let documents = try Sample.found(["client_id_metadata_document_supported": "true"]).server
        let plain = try Sample.found().server
        let closed = try Sample.found(["registration_endpoint": nil]).server
        let (given, known) = (OAuthClient(id: "given"), OAuthClient(id: "known", secret: "s", expiresAt: now))
        let document = "https://monitor.example/oauth/client.json"
        let later = now.adding(seconds: -1)
        func choice(
            _ server: AuthorizationServer,
            _ given: OAuthClient?,
            _ known: OAuthClient?,
            _ time: Timestamp = now
        )
            throws -> ClientChoice
        {
            try ClientChoice(at: server, given: given, known: known, document: document, now: time)
        }
        #expect(try choice(documents, given, known) == .use(given))
        #expect(try choice(documents, nil, known) == .use(OAuthClient(id: document)))
        #expect(try choice(plain, nil, known, later) == .use(known))
        #expect(try choice(plain, nil, known) == .register(place("https://login.example/register")))
        #expect(try choice(plain, nil, nil) == .register(place("https://login.example/register")))
        #expect(fault { try choice(closed, nil, nil) } == .noRegistration)
        let local = try ClientChoice(at: documents, given: nil, known: nil, document: nil, now: now)
        #expect(local == .register(place("https://login.example/register")))
    }

    @Test func describesTheClient() throws {
        let here = ClientDescription(redirectURI: "http://127.0.0.1:8766/oauth/callback")
        let json = try JSONValue.parse(here.registration)
        #expect(json["application_type"]?.string == "native")
        #expect(json["token_endpoint_auth_method"]?.string == "none")
        #expect(json["redirect_uris"]?.array?.compactMap(\.string) == ["http://127.0.0.1:8766/oauth/callback"])
        let document = try JSONValue.parse(here.document(at: "https://m/oauth/client.json"))
        #expect(document["client_id"]?.string == "https://m/oauth/client.json")
        #expect(document["grant_types"]?.array?.compactMap(\.string) == ["authorization_code", "refresh_token"])
    }

    @Test(
        arguments: [
            (201, #"{"client_id":"a"}"#, OAuthClient(id: "a")),
            (
                200, #"{"client_id":"a","client_secret":"b","client_secret_expires_at":0}"#,
                OAuthClient(id: "a", secret: "b")
            ),
            (
                201, #"{"client_id":"a","client_secret":"b","client_secret_expires_at":1800000000}"#,
                OAuthClient(id: "a", secret: "b", expiresAt: now)
            ),
            (201, #"{"client_id":""}"#, nil), (201, "{}", nil), (201, #"{"client_id":"a b"}"#, nil),
            (201, #"{"client_id":"a","client_secret":"b\n"}"#, nil), (400, #"{"client_id":"a"}"#, nil), (302, "", nil),
        ] as [(Int, String, OAuthClient?)]
    )
    func readsARegistration(status: Int, body: String, expected: OAuthClient?) {
        #expect((try? ClientDescription.client(from: status, Array(body.utf8))) == expected)
    }
}

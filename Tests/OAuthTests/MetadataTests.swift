import HTTPClient
import Testing

@testable import OAuth

private let resource = "/.well-known/oauth-protected-resource"
private let oauth = "/.well-known/oauth-authorization-server"
private let openID = "/.well-known/openid-configuration"

@Suite struct MetadataTests {
    @Test(arguments: [
        ("https://h/mcp", ["https://h\(resource)/mcp", "https://h\(resource)"]),
        ("https://h/a/b/", ["https://h\(resource)/a/b", "https://h\(resource)"]),
        ("https://h", ["https://h\(resource)"]),
        ("https://h:8443/m?x=1", ["https://h:8443\(resource)/m?x=1", "https://h:8443\(resource)"]),
    ])
    func placesOfAResource(server: String, expected: [String]) {
        #expect(ProtectedResource.wellKnown(of: place(server)).map(\.description) == expected)
    }

    @Test(arguments: [
        ("https://as", ["https://as\(oauth)", "https://as\(openID)"]),
        ("https://as/", ["https://as\(oauth)", "https://as\(openID)"]),
        (
            "https://as/t/1",
            [
                "https://as\(oauth)/t/1", "https://as\(openID)/t/1",
                "https://as/t/1\(openID)",
            ]
        ),
    ])
    func placesOfAnIssuer(issuer: String, expected: [String]) {
        #expect(AuthorizationServer.wellKnown(of: place(issuer)).map(\.description) == expected)
    }

    @Test(arguments: [
        ("https://tools.example/mcp", true), ("https://tools.example/mcp/", true), ("https://tools.example", true),
        ("https://tools.example/", true), ("https://tools.example:443/mcp", true), ("https://tools.example/mc", false),
        ("https://tools.example/mcp/deeper", false), ("https://tools.example/other", false),
        ("https://other.example/mcp", false), ("http://tools.example/mcp", false),
        ("https://tools.example:8443/mcp", false), ("https://tools.example/mcp?tenant=2", false),
    ])
    func resourceIsTheServerOrAbove(name: String, isTaken: Bool) {
        let found = fault { try ProtectedResource(Sample.resource(name), of: Sample.server) }
        #expect(found == (isTaken ? nil : .foreignResource))
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"resource":"https://tools.example/mcp"}"#, #"{"resource":1,"authorization_servers":["x"]}"#,
    ])
    func refusesAMalformedResource(text: String) {
        #expect(fault { try ProtectedResource(Array(text.utf8), of: Sample.server) } == .malformedMetadata)
    }

    @Test func boundsTheIssuers() {
        let nine = "[" + Array(repeating: "\"https://as\"", count: 9).joined(separator: ",") + "]"
        for issuers in [nine, "[]"] {
            let document = Sample.resource(issuers: issuers)
            #expect(fault { try ProtectedResource(document, of: Sample.server) } == .malformedMetadata)
        }
    }

    /// Documents that lie.
    @Test(
        arguments: [
            ("issuer", #""https://evil.example""#, OAuthFault.Code.issuerMismatch),
            ("issuer", #""https://login.example/""#, .issuerMismatch), ("issuer", nil, .issuerMismatch),
            ("issuer", "7", .issuerMismatch),
            ("code_challenge_methods_supported", nil, .noPKCE),
            ("code_challenge_methods_supported", #"["plain"]"#, .noPKCE),
            ("code_challenge_methods_supported", #""S256""#, .noPKCE),
            ("token_endpoint", #""https://evil.example/token""#, .foreignEndpoint),
            ("token_endpoint", #""http://login.example/token""#, .insecureEndpoint),
            ("token_endpoint", #""https://login.example@evil.example/token""#, .malformedMetadata),
            ("token_endpoint", nil, .malformedMetadata), ("token_endpoint", #""javascript:1""#, .malformedMetadata),
            ("authorization_endpoint", #""https://evil.example/authorize""#, .foreignEndpoint),
            ("authorization_endpoint", #""javascript:alert(1)""#, .malformedMetadata),
            ("authorization_endpoint", #""https://login.example/a#b""#, .malformedMetadata),
            ("authorization_endpoint", nil, .malformedMetadata),
            ("registration_endpoint", #""https://login.example:444/r""#, .foreignEndpoint),
            ("revocation_endpoint", #""http://login.example/r""#, .insecureEndpoint),
        ] as [(String, String?, OAuthFault.Code)]
    )
    func refuses(member: String, value: String?, expected: OAuthFault.Code) {
        let document = Sample.metadata([member: value])
        let found = fault { try AuthorizationServer(document, issuer: Sample.issuer, rules: Sample.rules) }
        #expect(found == expected)
    }

    @Test func takesEndpointsOfOriginsThatAPersonHasNamed() throws {
        let document = Sample.metadata(["token_endpoint": #""https://tokens.example/token""#])
        let rules = EndpointRules(server: Sample.server, trustedOrigins: ["https://tokens.example"])
        let found = try AuthorizationServer(document, issuer: Sample.issuer, rules: rules)
        #expect(found.tokenEndpoint == place("https://tokens.example/token"))
    }

    @Test func plainServerMayHaveAPlainIssuer() throws {
        let rules = EndpointRules(server: place("http://127.0.0.1:9/mcp"))
        let text = String(decoding: Sample.metadata(), as: UTF8.self).replacing("https://", with: "http://")
        _ = try AuthorizationServer(Array(text.utf8), issuer: "http://login.example", rules: rules)
    }

    @Test func readsWhatItMayHave() throws {
        let found = try AuthorizationServer(
            Sample.metadata([
                "client_id_metadata_document_supported": "true",
                "authorization_response_iss_parameter_supported": "true",
                "token_endpoint_auth_methods_supported": #"["none","client_secret_post"]"#,
                "scopes_supported": #"["a","b c",7,"d"]"#,
            ]),
            issuer: Sample.issuer,
            rules: Sample.rules
        )
        #expect(found.takesClientDocuments && found.namesIssuer && found.takesSecretInForm)
        #expect(found.scopes == ["a", "d"])
        #expect(found.revocationEndpoint == place("https://login.example/revoke"))
    }
}

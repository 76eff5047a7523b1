import HTTPClient
import Testing

@testable import OAuth

@Suite struct DiscoveryTests {
    private func fetch(_ text: String) -> Discovery.Action { .fetch(place(text)) }

    @Test func followsTheChallenge() throws {
        var discovery = Discovery(of: Sample.server, rules: Sample.rules)
        let challenge = BearerChallenge(resourceMetadata: "https://tools.example/meta", scope: "write admin")
        #expect(try discovery.challenged(challenge) == fetch("https://tools.example/meta"))
        #expect(
            try discovery.fetched(Sample.resource())
                == fetch("https://login.example/.well-known/oauth-authorization-server")
        )
        guard case .done(let found) = try discovery.fetched(Sample.metadata()) else {
            Issue.record("not done")
            return
        }
        #expect(found.scope == "write admin")
        #expect(found.resource.resource == "https://tools.example/mcp")
        #expect(found.server.issuer == Sample.issuer)
    }

    @Test func looksInEveryPlace() throws {
        var discovery = Discovery(of: Sample.server, rules: Sample.rules)
        #expect(
            try discovery.challenged(nil) == fetch("https://tools.example/.well-known/oauth-protected-resource/mcp")
        )
        #expect(try discovery.missing() == fetch("https://tools.example/.well-known/oauth-protected-resource"))
        let issuers = #"["https://none.example","https://login.example"]"#
        #expect(
            try discovery.fetched(Sample.resource(issuers: issuers))
                == fetch("https://none.example/.well-known/oauth-authorization-server")
        )
        #expect(try discovery.missing() == fetch("https://none.example/.well-known/openid-configuration"))
        #expect(try discovery.missing() == fetch("https://login.example/.well-known/oauth-authorization-server"))
        #expect(try discovery.missing() == fetch("https://login.example/.well-known/openid-configuration"))
        guard
            case .done(let found) = try discovery.fetched(Sample.metadata(["scopes_supported": #"["offline_access"]"#]))
        else {
            Issue.record("not done")
            return
        }
        #expect(found.scope == "read write offline_access")
    }

    @Test func endsWithoutMetadata() throws {
        var discovery = Discovery(of: Sample.server, rules: Sample.rules)
        _ = try discovery.challenged(BearerChallenge(resourceMetadata: "https://tools.example/meta"))
        #expect(fault { try discovery.missing() } == .noResourceMetadata)
        var other = Discovery(of: Sample.server, rules: Sample.rules)
        _ = try other.challenged(nil)
        _ = try other.fetched(Sample.resource())
        _ = try other.missing()
        #expect(fault { try other.missing() } == .noServerMetadata)
    }

    @Test(
        arguments: [
            ("https://evil.example/meta", OAuthFault.Code.foreignEndpoint),
            ("http://tools.example/meta", .insecureEndpoint),
            ("/relative", .malformedMetadata), ("file:///etc/passwd", .malformedMetadata),
        ] as [(String, OAuthFault.Code)]
    )
    func refusesMetadataElsewhere(text: String, expected: OAuthFault.Code) {
        var discovery = Discovery(of: Sample.server, rules: Sample.rules)
        #expect(fault { try discovery.challenged(BearerChallenge(resourceMetadata: text)) } == expected)
    }

    @Test(
        arguments: [
            (#"["http://login.example"]"#, OAuthFault.Code.insecureEndpoint),
            (#"["login.example"]"#, .malformedMetadata),
            (#"["https://login.example?x=1"]"#, .malformedMetadata),
        ] as [(String, OAuthFault.Code)]
    )
    func refusesAnIssuer(issuers: String, expected: OAuthFault.Code) throws {
        var discovery = Discovery(of: Sample.server, rules: Sample.rules)
        _ = try discovery.challenged(nil)
        #expect(fault { try discovery.fetched(Sample.resource(issuers: issuers)) } == expected)
    }

    /// A server that names the issuer of another one gets nothing for it.
    @Test func refusesTheMetadataOfAnotherIssuer() throws {
        var discovery = Discovery(of: Sample.server, rules: Sample.rules)
        _ = try discovery.challenged(nil)
        _ = try discovery.fetched(Sample.resource(issuers: #"["https://evil.example"]"#))
        #expect(fault { try discovery.fetched(Sample.metadata()) } == .issuerMismatch)
    }
}

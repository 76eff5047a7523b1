import EventModel
import HTTPClient

@testable import OAuth

let now = Timestamp(microseconds: 1_800_000_000_000_000)

func place(_ text: String) -> HTTPLocation { HTTPLocation(text)! }

/// The code of the fault that the body throws.
func fault<Value>(_ body: () throws -> Value) -> OAuthFault.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? OAuthFault)?.code
    }
}

enum Sample {
    static let server = place("https://tools.example/mcp")
    static let issuer = "https://login.example"
    static let rules = EndpointRules(server: server)

    static func resource(_ name: String = "https://tools.example/mcp", issuers: String = #"["\#(issuer)"]"#) -> [UInt8]
    {
        Array(#"{"resource":"\#(name)","authorization_servers":\#(issuers),"scopes_supported":["read","write"]}"#.utf8)
    }

    /// The metadata of the issuer, with members replaced or removed.
    static func metadata(_ changes: [String: String?] = [:]) -> [UInt8] {
        var members: [String: String] = [
            "issuer": #""\#(issuer)""#, "authorization_endpoint": #""\#(issuer)/authorize""#,
            "token_endpoint": #""\#(issuer)/token""#, "registration_endpoint": #""\#(issuer)/register""#,
            "revocation_endpoint": #""\#(issuer)/revoke""#, "code_challenge_methods_supported": #"["S256"]"#,
        ]
        for (name, value) in changes { members[name] = value }
        return Array("{\(members.map { "\"\($0)\":\($1)" }.joined(separator: ","))}".utf8)
    }

    static func found(_ changes: [String: String?] = [:]) throws -> Discovery.Found {
        Discovery.Found(
            resource: try ProtectedResource(resource(), of: server),
            server: try AuthorizationServer(metadata(changes), issuer: issuer, rules: rules),
            scope: "read"
        )
    }

    static func login(_ changes: [String: String?] = [:], client: OAuthClient = OAuthClient(id: "c")) throws
        -> PendingLogin
    {
        PendingLogin(
            try found(changes),
            client: client,
            redirectURI: "https://monitor.example/oauth/callback",
            verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        )
    }
}

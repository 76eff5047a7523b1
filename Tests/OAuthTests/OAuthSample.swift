import API
import Audit
import DatabaseSamples
import EventModel
import Foundation
import HTTPClient
import HTTPModel
import Host
import Persistence
import Secrets
import Synchronization
import Testing

@testable import OAuth

/// A clock that only the test moves.
final class SampleClock: Sendable {
    private let time = Mutex(OAuthTests.now)

    var now: Timestamp { time.withLock { $0 } }

    func advance(_ seconds: Double) { time.withLock { $0 = $0.adding(seconds: seconds) } }
}

/// A database with one remote MCP server, and the services of one of the monitor's servers.
final class OAuthSample: Sendable {
    static let key = ConnectionKey(server: "mcp_1")
    static let browser = String(repeating: "b", count: 43)

    let store: TestStore
    let issuer = ScriptedIssuer()
    let lines = LogLines()
    let file: SecretKeyFile
    let logins: LoginService
    let tokens: TokenService
    let clock = SampleClock()

    init() throws {
        store = try TestStore()
        let connection = try PQConnection(conninfo: store.database.conninfo, applicationName: "tests")
        try connection.execute(OAuthSample.server, as: "server")
        let directory = try DataDirectory(path: NSTemporaryDirectory() + "oauth-\(UUID().uuidString)")
        file = SecretKeyFile(in: directory)
        let vault = try SecretVault(file: file, database: store)
        let clock = self.clock
        let audit = AccessAudit(database: store, clock: { clock.now }, logger: lines.logger)
        let ports = OAuthSample.ports(issuer)
        logins = LoginService(ports: ports, vault: vault, database: store, audit: audit)
        tokens = TokenService(ports: ports, vault: vault, database: store, clock: { clock.now })
    }

    /// The tokens of another server of the database.
    func otherServer() throws -> TokenService {
        let directory = try DataDirectory(path: NSTemporaryDirectory() + "oauth-\(UUID().uuidString)")
        let copy = SecretKeyFile(in: directory)
        try copy.write(try file.read())
        let vault = try SecretVault(file: copy, database: store)
        let ports = OAuthSample.ports(issuer)
        return TokenService(ports: ports, vault: vault, database: store, clock: { [clock] in clock.now })
    }

    var caller: Caller { Caller(peer: "", requestID: "r", principal: nil) }

    var wish: LoginWish {
        LoginWish(redirectURI: "https://monitor.example/oauth/callback", browser: OAuthSample.browser)
    }

    /// Begins a login, and returns the state.
    func begin() async throws -> String {
        let url = try await logins.begin(OAuthSample.key, wish, caller).url
        return try #require(QueryParameters(String(url.split(separator: "?")[1]))["state"])
    }

    func finish(_ state: String, _ rest: String = "&code=the-code", browser: String? = OAuthSample.browser) async throws
    {
        _ = try await logins.finish("state=\(state)\(rest)", browser: browser, caller)
    }

    func connect() async throws { try await finish(try await begin()) }

    func token(after refused: BearerToken? = nil, by tokens: TokenService? = nil) async throws -> BearerToken {
        try #require(try await (tokens ?? self.tokens).token(OAuthSample.key, at: Sample.server, after: refused))
    }

    /// All that a dump of the database shows of the feature's tables, and of the audit log.
    func dump() async throws -> String {
        let tables = ["oauth_connections", "oauth_logins", "oauth_clients", "secret_keys", "access_audit"]
        return try await store.store().run { connection throws(PersistenceError) in
            var text = ""
            for table in tables {
                let rows = Statement("dump_\(table)", "SELECT t::text FROM \(table) AS t")
                let found: [String] = try connection.query(rows).values()
                text += found.joined(separator: "\n") + "\n"
            }
            return text
        }
    }

    private static let server = """
        INSERT INTO mcp_servers
        VALUES ('mcp_1', 0, 'remote', NULL, 'tools', 'http', 'ready', NULL, true, true, now(), now());
        INSERT INTO remote_mcp_servers
        VALUES ('mcp_1', 'https://tools.example/mcp', '[]', NULL, false, 'admin', now(), now(), NULL, 0)
        """

    private static func ports(_ issuer: ScriptedIssuer) -> OAuthPorts {
        OAuthPorts(
            server: { id throws(APIError) in
                guard id == key.server else { throw .notFound("mcp_server_not_found", "None.") }
                return Sample.server
            },
            send: { request throws(OutboundError) in await issuer.answer(request) }
        )
    }
}

import Foundation
import Testing

@testable import monitorctl

struct CredentialsTests {
    private func resolve(
        _ flags: Credentials.Flags = .init(),
        _ environment: [String: String] = [:],
        files: [String: String] = [:]
    ) throws -> Credentials {
        try Credentials.resolve(flags: flags, environment: environment) { files[$0] }
    }

    @Test func defaults() throws {
        let found = try resolve(.init(), ["HOME": "/h"])
        #expect(found.server.absoluteString == "http://127.0.0.1:8766")
        #expect(found.token == nil)
    }

    @Test func flagBeforeEnvironmentBeforeFile() throws {
        let files = ["/d/admin.token": "from-file\n"]
        var environment = ["MONITOR_DATA_DIR": "/d", "MONITOR_URL": "https://m.example/base"]
        #expect(try resolve(.init(), environment, files: files).token == "from-file")
        environment["MONITOR_ADMIN_TOKEN"] = "from-environment"
        #expect(try resolve(.init(), environment, files: files).token == "from-environment")
        let flags = Credentials.Flags(url: "http://x:1", token: "from-flag")
        let found = try resolve(flags, environment, files: files)
        #expect(found.token == "from-flag")
        #expect(found.server.absoluteString == "http://x:1")
    }

    @Test func theCAFileIsTheFlagsBeforeTheEnvironments() throws {
        #expect(try resolve().caFile == nil)
        #expect(try resolve(.init(), ["MONITOR_CA_FILE": "/e.pem"]).caFile == "/e.pem")
        #expect(try resolve(.init(caFile: "/f.pem"), ["MONITOR_CA_FILE": "/e.pem"]).caFile == "/f.pem")
        #expect(try resolve(.init(token: "t", caFile: "/f.pem")).caFile == "/f.pem")
    }

    @Test(arguments: [
        (["XDG_DATA_HOME": "/x", "HOME": "/h"], "/x/claude-monitor"),
        (["XDG_DATA_HOME": "", "HOME": "/h"], "/h/.local/share/claude-monitor"),
        (["MONITOR_DATA_DIR": "/m", "XDG_DATA_HOME": "/x"], "/m"),
    ])
    func dataDirectory(_ environment: [String: String], _ expected: String) {
        #expect(Credentials.dataDirectory(flags: .init(), environment: environment) == expected)
    }

    @Test(arguments: ["localhost:8766", "ftp://x", "http://", "http://u:p@x", "http://x/?key=1", "not a url"])
    func addressesThatAreRefused(_ url: String) {
        #expect(throws: CommandError.self) { try resolve(.init(url: url)) }
    }

    @Test func unreadableTokenFileSaysSo() throws {
        struct Denied: Error {}
        let found = try Credentials.resolve(flags: .init(dataDirectory: "/d"), environment: [:]) { _ in
            throw Denied()
        }
        #expect(found.token == nil)
        #expect(found.tokenFault?.contains("/d/admin.token") == true)
    }
}

import Foundation
import Testing

@testable import monitorctl

/// The program against a server over a socket, seen as its user sees it.
@Suite(.timeLimit(.minutes(5)))
struct CommandTests {
    private let monitor = StandInMonitor()

    @Test func keyAloneOnStdout() async throws {
        let server = try monitor.serve()
        let run = try await ProgramRun.finish(["key", "create", "laptop"], url: server.url)
        #expect(run.status == 0)
        #expect(run.out == ["cmk_k1"])
        #expect(run.err.contains("not shown again"))
    }

    @Test func revokeEscapesTheName() async throws {
        let server = try monitor.serve()
        let run = try await ProgramRun.finish(["key", "revoke", "my/key ü?"], url: server.url)
        #expect(run.status == 0)
        #expect(monitor.state.withLock { $0.revoked } == ["/v1/keys/my%2Fkey%20%C3%BC%3F"])
    }

    @Test func refusalIsOneLineWithoutTheToken() async throws {
        let server = try monitor.serve()
        let run = try await ProgramRun.finish(["stats"], url: server.url, token: "s3cret-token")
        #expect(run.status == 1)
        #expect(run.out.isEmpty)
        #expect(run.err.split(separator: "\n").count == 1)
        #expect(run.err.contains("401: who are you?") && run.err.contains("[request r-9]"))
        #expect(!run.err.contains("s3cret"))
    }

    @Test func unreachableServerIsStatusThree() async throws {
        let run = try await ProgramRun.finish(["sessions"], url: "http://127.0.0.1:1")
        #expect(run.status == 3)
        #expect(run.err.contains("is monitor-server running"))
        #expect(run.err.split(separator: "\n").count == 1)
    }

    @Test func missingTokenIsSaidBeforeAsking() async throws {
        let run = try await ProgramRun.finish(["machines"], url: "http://127.0.0.1:1", token: nil)
        #expect(run.status == 1)
        #expect(run.err.contains("--data-dir"))
    }

    @Test(arguments: [
        ["sessions", "--status", "odd"], ["events", "--since", "x"], ["events", "--since", "e:1", "--last", "2"],
    ])
    func wrongUsage(_ arguments: [String]) async throws {
        #expect(try await ProgramRun.finish(arguments, url: nil).status == 64)
    }

    @Test func redirectIsNotFollowedWithTheToken() async throws {
        let seen = StandInMonitor()
        let target = try seen.serve()
        let server = try StandInServer { _, exchange in
            exchange.reply(307, "{}", headers: "Location: \(target.url)/v1/sessions/stats\r\n")
        }
        let run = try await ProgramRun.finish(["stats"], url: server.url)
        #expect(run.status == 1)
        #expect(run.err.contains("307"))
    }

    @Test func tablesAndDocuments() async throws {
        let server = try monitor.serve()
        let table = try await ProgramRun.finish(["sessions", "--status", "idle"], url: server.url)
        #expect(table.out.count == 2)
        #expect(table.out[1].hasPrefix("s-1") && table.out[1].contains("idle"))
        let machines = try await ProgramRun.finish(["machines"], url: server.url)
        #expect(machines.out.last?.split(separator: " ") == ["1", "laptop", "mac", "never", "3", "+1.5s", "0.9.1"])
        let keys = try await ProgramRun.finish(["key", "list"], url: server.url)
        #expect(keys.out.last?.split(separator: " ") == ["k1", "laptop", "cmk_ab…", "-", "never", "valid"])
        let json = try await ProgramRun.finish(["stats", "--json"], url: server.url)
        #expect(json.out == [#"{"sessions":{"active":2},"cost":1.25}"#])
        let stats = try await ProgramRun.finish(["stats"], url: server.url)
        #expect(stats.out == ["cost             1.25", "sessions.active  2"])
    }

    @Test func degradedHealthIsAFailure() async throws {
        monitor.update { $0.isHealthy = false }
        let server = try monitor.serve()
        let run = try await ProgramRun.finish(["health", "--json"], url: server.url, token: nil)
        #expect(run.status == 1)
        #expect(run.out.first?.contains("degraded") == true)
    }

    @Test func doctorLeavesNothingBehind() async throws {
        let server = try monitor.serve()
        let run = try await ProgramRun.finish(["doctor"], url: server.url)
        #expect(run.out.contains { $0.hasPrefix("ok") && $0.contains("round trip") }, "\(run)")
        #expect(monitor.state.withLock { $0.log } == [])
        #expect(monitor.state.withLock { $0.keys } == [:])
        #expect(run.status == 0)
    }

    @Test func doctorSeesTheProbeArriveWhereItIsAskedFor() async throws {
        let server = try monitor.serve()
        let run = try await ProgramRun.finish(["doctor", "--probe"], url: server.url)
        #expect(run.out.contains { $0.hasPrefix("ok") && $0.contains("arrived after") }, "\(run)")
        #expect(monitor.state.withLock { $0.log.count } == 1)
        #expect(monitor.state.withLock { $0.keys } == [:])
        #expect(run.status == 0)
    }

    @Test func doctorWithoutAServerFails() async throws {
        let run = try await ProgramRun.finish(["doctor", "--json"], url: "http://127.0.0.1:1")
        #expect(run.status == 1)
        #expect(run.out.count == 1)
        #expect(run.out[0].contains(#""ok":false"#))
    }
}

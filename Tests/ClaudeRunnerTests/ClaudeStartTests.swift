import ClaudeRunner
import Foundation
import JSON
import Testing

@Suite(.timeLimit(.minutes(5))) struct ClaudeStartTests {
    private let id = "5a250c91-bccc-4a59-9621-781c4b54157d"
    private let other = "44aca7a8-13c5-48f3-ae35-466d8825db0f"

    private func start(_ change: (inout ClaudeStart) -> Void = { _ in }) -> ClaudeStart {
        var start = ClaudeStart(
            sessionID: id,
            directory: "/home/dev/app",
            executable: "/usr/bin/claude",
            environment: [],
            stateDirectory: "/state/\(id)"
        )
        change(&start)
        return start
    }

    private let fixed = [
        "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
        "--include-partial-messages", "--permission-prompt-tool", "stdio", "--permission-mode",
    ]

    @Test func theArgumentsOfANewSession() {
        #expect(start().arguments == fixed + ["default", "--session-id", id])
        let full = start {
            $0.model = "opus"
            $0.effort = "high"
            $0.mode = "plan"
            $0.worktree = "fix-1"
            $0.isRestricted = true
            $0.systemPrompt = "nobody reads this in a list of processes"
            $0.denyRules = ["Edit(//home/dev/.claude.json)"]
        }
        #expect(
            full.arguments == fixed + [
                "plan", "--session-id", id, "--model", "opus", "--effort", "high", "--worktree", "fix-1",
                "--setting-sources", "user", "--strict-mcp-config",
                "--settings", #"{"permissions":{"deny":["Edit(//home/dev/.claude.json)"]}}"#,
            ]
        )
    }

    @Test func theArgumentsOfAResumedSession() throws {
        let resumed = start { $0.resume = id }
        try resumed.check()
        #expect(resumed.arguments == fixed + ["default", "--resume", id])
        let fork = start {
            $0.resume = other
            $0.isFork = true
        }
        try fork.check()
        #expect(fork.arguments == fixed + ["default", "--resume", other, "--fork-session", "--session-id", id])
    }

    static let wrong: [@Sendable (inout ClaudeStart) -> Void] = [
        { $0.sessionID = "5A250C91-BCCC-4A59-9621-781C4B54157D" },
        { $0.sessionID = "../../../../etc/cron.d/aaaaaaaaaaaaaa" },
        { $0.resume = "x" },
        { $0.resume = "44aca7a8-13c5-48f3-ae35-466d8825db0f" },
        { $0.isFork = true },
        { $0.model = "-opus" },
        { $0.model = "" },
        { $0.model = "a b" },
        { $0.model = String(repeating: "m", count: 129) },
        { $0.effort = "--settings" },
        { $0.mode = "manual" },
        { $0.worktree = "../x" },
        { $0.worktree = ".git" },
        { $0.worktree = String(repeating: "w", count: 65) },
        { $0.directory = "app" },
        { $0.executable = "claude" },
        { $0.stateDirectory = "/state/other" },
        { $0.environment = ["A=b\0C=d"] },
    ]

    @Test(arguments: wrong.indices) func wrongValuesAreRefused(index: Int) {
        let start = start(ClaudeStartTests.wrong[index])
        #expect(throws: ClaudeStartError.self) { try start.check() }
    }

    @Test func modelsOfAllProvidersAreNames() {
        for model in ["opus", "claude-opus-5-5[1m]", "us.anthropic.claude:0", "arn:aws:bedrock:x/y", "claude@2026"] {
            #expect(ClaudeStart.isModel(model))
        }
    }

    @Test func aClientThatEndsAtOnceSaysWhy() async throws {
        let sandbox = try Sandbox()
        await #expect {
            _ = try await sandbox.start("fail")
        } throws: { error in
            guard case .exited(let code, _, let text, _) = error as? ClaudeStartError else { return false }
            return code == 3 && String(decoding: text, as: UTF8.self) == "Error: this client does not start\n"
        }
        #expect(sandbox.state?.hasEnded == true)
    }

    /// It has ended before or after something is written to it.
    @Test func aProgramThatReadsNothing() async throws {
        for _ in 0..<20 {
            let sandbox = try Sandbox()
            await #expect(throws: ClaudeStartError.exited(code: 1, signal: nil, standardError: [], errors: [])) {
                _ = try await sandbox.start { $0.executable = "/bin/false" }
            }
        }
    }

    @Test func aProgramThatIsNotThere() async throws {
        let sandbox = try Sandbox()
        await #expect {
            _ = try await sandbox.start { $0.executable = "/nowhere/claude" }
        } throws: { error in
            guard case .system(let text) = error as? ClaudeStartError else { return false }
            return text.contains("/nowhere/claude")
        }
    }

    /// The directory that the caller looked at is not the one that the path leads to.
    @Test func aLinkIsNoDirectoryToStartIn() async throws {
        let sandbox = try Sandbox()
        let link = sandbox.root + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: sandbox.project)
        for path in [link, link + "/.", sandbox.root + "/nowhere"] {
            await #expect(throws: ClaudeStartError.wrongDirectory(path)) {
                _ = try await sandbox.start { $0.directory = path }
            }
        }
        try FileManager.default.createDirectory(atPath: sandbox.project + "/sub", withIntermediateDirectories: true)
        await #expect(throws: ClaudeStartError.wrongDirectory(link + "/sub")) {
            _ = try await sandbox.start { $0.directory = link + "/sub" }
        }
    }

    @Test func aSessionThatRunsIsNotStartedAgain() async throws {
        let sandbox = try Sandbox()
        let session = try await sandbox.start()
        let pid = await session.snapshot.pid
        await #expect(throws: ClaudeStartError.alreadyRunning(pid: pid, kind: "agent")) {
            _ = try await sandbox.start()
        }
        _ = await session.stop(killLeftovers: true)
        let second = try await sandbox.start { $0.resume = $0.sessionID }
        #expect(await second.snapshot.pid != pid)
        _ = await second.stop(killLeftovers: true)
    }

    @Test func aSessionOfAnotherProcessIsNotResumed() async throws {
        let sandbox = try Sandbox()
        let registry = sandbox.root + "/.claude/sessions"
        try FileManager.default.createDirectory(atPath: registry, withIntermediateDirectories: true)
        let own = getpid()
        let text = #"{"pid":\#(own),"sessionId":"\#(sandbox.sessionID)","kind":"interactive"}"#
        try text.write(toFile: "\(registry)/\(own).json", atomically: true, encoding: .utf8)
        await #expect(throws: ClaudeStartError.alreadyRunning(pid: own, kind: "interactive")) {
            _ = try await sandbox.start { $0.resume = $0.sessionID }
        }
        // A fork is another session.
        let id = Sandbox.message()
        let fork = try await sandbox.start {
            $0.resume = $0.sessionID
            $0.isFork = true
            $0.sessionID = id
            $0.stateDirectory = sandbox.root + "/" + id
        }
        _ = await fork.stop(killLeftovers: true)
    }
}

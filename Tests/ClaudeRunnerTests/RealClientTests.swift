import ClaudeRunner
import Foundation
import JSON
import Testing

/// The real client, if `CLAUDE` names it, with the scripted model of `Tests/claude`.
@Suite(.timeLimit(.minutes(3)), .enabled(if: ProcessInfo.processInfo.environment["CLAUDE"] != nil))
struct RealClientTests {
    private let executable = ProcessInfo.processInfo.environment["CLAUDE"] ?? ""

    private func start(
        _ sandbox: Sandbox,
        _ model: ScriptedModel,
        change: (inout ClaudeStart) -> Void = { _ in }
    ) async throws -> ClaudeSession {
        try await sandbox.start {
            $0.executable = executable
            $0.environment = [
                "PATH=/usr/local/bin:/usr/bin:/bin", "HOME=\(sandbox.root)", "LANG=C.UTF-8",
                "ANTHROPIC_BASE_URL=\(model.url)", "ANTHROPIC_API_KEY=not-a-key-of-anybody",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_MAX_RETRIES=0",
            ]
            change(&$0)
        }
    }

    private func text(_ text: String) -> JSONValue { .string(text) }

    @Test func aSessionFromItsStartToItsStop() async throws {
        let sandbox = try Sandbox()
        let model = try ScriptedModel(
            """
            api.script("write", Turn(text="I write.", tools=[call("Write", file_path=sys.argv[1] + "/a", content="x")]),
                       Turn(text="Written."), Turn(text="never", delay=100))
            """,
            sandbox.project
        )
        defer { model.stop() }
        let session = try await start(sandbox, model) { $0.denyRules = ["Edit(/\(sandbox.root)/kept)"] }
        let events = EventReader(session)
        let holder = LiveSessions.holder(of: sandbox.sessionID, configuration: sandbox.root + "/.claude")
        #expect(await holder?.pid == session.snapshot.pid)

        let first = Sandbox.message()
        try await session.send(id: first, content: text("[write] go"), asCommand: false)
        #expect(await events.text() == "I write.")
        let prompt = try #require(await events.prompt())
        #expect(prompt.toolName == "Write")
        #expect(prompt.toolUseID?.isEmpty == false)
        #expect(try await session.answer(prompt: prompt.id, .allow(updatedInput: nil, permissions: [])))
        #expect(await events.text() == "Written.")
        #expect(await events.turn()?.messageIDs == [first])
        #expect(FileManager.default.fileExists(atPath: sandbox.project + "/a"))

        let second = Sandbox.message()
        try await session.send(id: second, content: text("again"), asCommand: false)
        #expect(await events.next { $0 == .messages([second], .started) ? true : nil } == true)
        let third = Sandbox.message()
        try await session.send(id: third, content: text("later"), asCommand: false)
        #expect(try await session.interrupt(cancelQueued: true) == [third])
        let turn = await events.turn()
        #expect(turn?.messageIDs == [second])
        #expect(turn?.subtype == "error_during_execution")

        try await session.set(mode: "plan")
        #expect(await session.snapshot.mode == "plan")
        #expect(try await session.contextUsage()["totalTokens"]?.integer != nil)
        let report = await session.stop(killLeftovers: false)
        #expect(report == StopReport(code: 143, signal: nil, leftRunning: []))
        #expect(await events.exit()?.code == 143)

        let resumed = try await start(sandbox, model) { $0.resume = $0.sessionID }
        #expect(await resumed.snapshot.state == .idle)
        let repetition = EventReader(resumed)
        try await resumed.send(id: first, content: text("[write] go"), asCommand: false)
        #expect(await repetition.next { $0 == .messages([first], .finished) ? true : nil } == true)
        #expect(repetition.seen.turns.isEmpty)
        _ = await resumed.stop(killLeftovers: true)
    }

    @Test func theNextAgentAnswersThePrompt() async throws {
        let sandbox = try Sandbox()
        let model = try ScriptedModel(
            """
            api.script("write", Turn(tools=[call("Write", file_path=sys.argv[1] + "/a", content="x")]),
                       Turn(text="Written."))
            """,
            sandbox.project
        )
        defer { model.stop() }
        let session = try await start(sandbox, model) { $0.systemPrompt = "You are terse." }
        let id = Sandbox.message()
        try await session.send(id: id, content: text("[write] go"), asCommand: false)
        let prompt = try #require(await EventReader(session).prompt())
        await session.detach()
        let next = try await ClaudeSession.adopt(stateDirectory: sandbox.stateDirectory)
        let events = EventReader(next)
        #expect(await events.prompt()?.id == prompt.id)
        #expect(try await next.answer(prompt: prompt.id, .allow(updatedInput: nil, permissions: [])))
        #expect(await events.text() == "Written.")
        let turn = await events.turn()
        #expect(turn?.messageIDs == [id])
        #expect(turn?.isOurs == true)
        // The system prompt is not given again, and stays: the request before and the one after have it.
        #expect(try await eventually { model.output.split(separator: "You are terse.").count == 3 })
        _ = await next.stop(killLeftovers: true)
    }

    @Test func aSessionThatIsNotThereIsNotResumed() async throws {
        let sandbox = try Sandbox()
        let model = try ScriptedModel("", "")
        defer { model.stop() }
        await #expect {
            _ = try await start(sandbox, model) { $0.resume = $0.sessionID }
        } throws: { error in
            guard case .exited(let code, _, _, let errors) = error as? ClaudeStartError else { return false }
            return code == 1 && errors.contains { $0.contains("No conversation found") }
        }
    }
}

/// `Tests/claude/messages_api.py` in a process of its own. It prints the system prompt of each request.
private final class ScriptedModel {
    let url: String
    private let process = Process()
    private let lines: LockedText

    var output: String { lines.value }

    init(_ script: String, _ argument: String) throws {
        let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path
        let program = """
            import json, sys, threading
            sys.path.insert(0, "\(directory)/claude")
            from messages_api import MessagesAPI, Turn, call
            api = MessagesAPI()
            \(script)
            answer = api.next_turn
            def next_turn(request):
                print(json.dumps(request.get("system")), flush=True)
                return answer(request)
            api.next_turn = next_turn
            print(api.url, flush=True)
            sys.stdin.read()
            """
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", program, argument]
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = Pipe()
        try process.run()
        let handle = output.fileHandleForReading
        url = String(decoding: handle.availableData, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
        let lines = LockedText()
        handle.readabilityHandler = { lines.append(String(decoding: $0.availableData, as: UTF8.self)) }
        self.lines = lines
    }

    func stop() {
        process.terminate()
    }
}

private final class LockedText: @unchecked Sendable {
    private let lock = NSLock()
    private var text = ""

    var value: String { lock.withLock { text } }

    func append(_ more: String) { lock.withLock { text += more } }
}

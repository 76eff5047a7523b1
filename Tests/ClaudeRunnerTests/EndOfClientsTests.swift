import ClaudeRunner
import Foundation
import JSON
import Testing

/// How clients and what they started end, and how they outlive their agent.
@Suite(.timeLimit(.minutes(5))) struct EndOfClientsTests {
    @Test func aClientThatIgnoresSIGTERMIsKilled() async throws {
        let sandbox = try Sandbox()
        let session = try await sandbox.start("stubborn")
        let report = await session.stop(killLeftovers: false)
        #expect(report.signal == SIGKILL)
        #expect(report.leftRunning.isEmpty)
        #expect(await !isRunning(session.snapshot.pid))
    }

    @Test func aClientThatDiesIsReported() async throws {
        let sandbox = try Sandbox()
        let session = try await sandbox.start()
        let events = EventReader(session)
        try await session.send(id: Sandbox.message(), content: .string("die"), asCommand: false)
        #expect(await events.exit()?.signal == SIGKILL)
        #expect(await events.next { _ in true } == nil)
        #expect(await session.snapshot.state == .ended)
        #expect(sandbox.state?.hasEnded == true)
        await #expect(throws: ClaudeError.notRunning) { try await session.contextUsage() }
    }

    /// The tool has a session of its own, so it survives the signal to its parent.
    @Test func theToolsOfAClientEndWithIt() async throws {
        let sandbox = try Sandbox()
        let session = try await sandbox.start()
        let events = EventReader(session)
        try await session.send(id: Sandbox.message(), content: .string("tool"), asCommand: false)
        let pid = try #require(await events.text().flatMap { Int32($0) })
        #expect(isRunning(pid))
        let report = await session.stop(killLeftovers: false)
        #expect(report.leftRunning.isEmpty)
        #expect(!isRunning(pid))
    }

    @Test func aServerThatAToolStartedIsLeftOrEnded() async throws {
        let sandbox = try Sandbox()
        let session = try await sandbox.start()
        let events = EventReader(session)
        try await session.send(id: Sandbox.message(), content: .string("server"), asCommand: false)
        let pid = try #require(await events.text().flatMap { Int32($0) })
        let report = await session.stop(killLeftovers: false)
        #expect(report.leftRunning == [LeftProcess(pid: pid, command: "sleep 300")])
        #expect(isRunning(pid))
        #expect(await session.stop(killLeftovers: true).leftRunning.isEmpty)
        #expect(!isRunning(pid))
    }

    /// The agent ends while a prompt is open, and the next one answers it.
    @Test func theNextAgentAnswersThePrompt() async throws {
        let sandbox = try Sandbox()
        let first = try await sandbox.start()
        let before = EventReader(first)
        let ids = (0..<2).map { _ in Sandbox.message() }
        try await first.send(id: ids[0], content: .string("ask make"), asCommand: false)
        let prompt = try #require(await before.prompt())
        try await first.send(id: ids[1], content: .string("later"), asCommand: false)
        await first.detach()
        #expect(await before.exit() == nil)
        await #expect(throws: ClaudeError.self) { try await first.contextUsage() }

        let second = try await ClaudeSession.adopt(stateDirectory: sandbox.stateDirectory)
        let events = EventReader(second)
        #expect(await events.prompt() == prompt)
        #expect(await second.snapshot.state == .waiting)
        // The first was started before; its end comes.
        #expect(await second.snapshot.queue.contains(ids[1]))
        #expect(try await second.answer(prompt: prompt.id, .deny(message: "no", interrupt: false)))
        #expect(await events.turn()?.messageIDs == [ids[0]])
        let last = await events.turn()
        #expect(last?.messageIDs == [ids[1]])
        #expect(last?.isOurs == true)
        // The client knows the message, so it does not take it twice.
        try await second.send(id: ids[0], content: .string("ask make"), asCommand: false)
        #expect(try await second.contextUsage()["totalTokens"]?.integer == 3567)
        #expect(sandbox.received.count == 2)
        let report = await second.stop(killLeftovers: false)
        #expect(report.signal == SIGTERM)
    }

    /// A client that is no child of this process, as after a restart of the agent.
    @Test func aClientOfAnotherProcessIsAdopted() async throws {
        let orphan = try Orphan()
        let session = try await ClaudeSession.adopt(stateDirectory: orphan.sandbox.stateDirectory)
        let events = EventReader(session)
        #expect(await session.snapshot.pid == orphan.pid)
        try await session.send(id: Sandbox.message(), content: .string("hello"), asCommand: false)
        #expect(await events.text() == "hello 5")
        let report = await session.stop(killLeftovers: false)
        // Only its parent gets the status.
        #expect(report == StopReport(code: nil, signal: nil, leftRunning: []))
        #expect(await events.exit() != nil)
        #expect(!isRunning(orphan.pid))
        await #expect(throws: ClaudeStartError.notRunning) {
            _ = try await ClaudeSession.adopt(stateDirectory: orphan.sandbox.stateDirectory)
        }
    }

    /// The agent ended between the start of the client and the note of its pid.
    @Test func aClientWithoutAPidIsFound() async throws {
        let orphan = try Orphan { state in
            state.pid = nil
            state.startTime = nil
        }
        let session = try await ClaudeSession.adopt(stateDirectory: orphan.sandbox.stateDirectory)
        #expect(await session.snapshot.pid == orphan.pid)
        #expect(orphan.sandbox.state?.pid == orphan.pid)
        _ = await session.stop(killLeftovers: true)
    }

    @Test func aClientWithACutLineIsEnded() async throws {
        let id = Sandbox.message()
        let orphan = try Orphan { $0.writing = id }
        await #expect(throws: ClaudeStartError.inputCut(id: id)) {
            _ = try await ClaudeSession.adopt(stateDirectory: orphan.sandbox.stateDirectory)
        }
        #expect(!isRunning(orphan.pid))
        #expect(orphan.sandbox.state?.hasEnded == true)
        #expect(orphan.sandbox.state?.isParked == true)
        await #expect(throws: ClaudeStartError.notRunning) {
            _ = try await ClaudeSession.adopt(stateDirectory: orphan.sandbox.stateDirectory)
        }
    }

    @Test func aPidOfAnotherProcessIsNotAdopted() async throws {
        let orphan = try Orphan { $0.startTime = "1" }
        await #expect(throws: ClaudeStartError.notRunning) {
            _ = try await ClaudeSession.adopt(stateDirectory: orphan.sandbox.stateDirectory)
        }
        #expect(isRunning(orphan.pid))
        kill(orphan.pid, SIGKILL)
    }

    @Test func nothingIsAdoptedAfterARestartOfTheMachine() async throws {
        let orphan = try Orphan { $0.bootID = "another" }
        await #expect(throws: ClaudeStartError.machineRestarted) {
            _ = try await ClaudeSession.adopt(stateDirectory: orphan.sandbox.stateDirectory)
        }
        kill(orphan.pid, SIGKILL)
        let empty = try Sandbox()
        await #expect(throws: ClaudeStartError.unreadableState(empty.stateDirectory + "/state.json")) {
            _ = try await ClaudeSession.adopt(stateDirectory: empty.stateDirectory)
        }
    }
}

/// A client that was started by a program which has ended, with pipes as `ClaudeSession` makes them.
private struct Orphan {
    let sandbox: Sandbox
    let pid: Int32

    init(change: (inout RunnerState) -> Void = { _ in }) throws {
        sandbox = try Sandbox()
        let launcher = """
            import os, subprocess, sys
            state, project, session, client = sys.argv[1:]
            os.mkdir(state, 0o700)
            for name in ("in", "out"):
                os.mkfifo(state + "/" + name, 0o600)
            ends = [os.open(state + "/" + name, os.O_RDWR | os.O_CREAT) for name in ("in", "out", "err")]
            child = subprocess.Popen(
                [client, "--session-id", session, "--permission-mode", "default"], cwd=project, start_new_session=True,
                stdin=ends[0], stdout=ends[1], stderr=ends[2],
                env={**os.environ, "CLAUDE_MONITOR_RUNNER": session})
            print(child.pid)
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c", launcher, sandbox.stateDirectory, sandbox.project, sandbox.sessionID, Sandbox.client,
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        pid = try #require(Int32(line.dropLast()))
        let stat = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8).split(separator: " ")
        let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        var state = RunnerState(
            sessionID: sandbox.sessionID,
            conversationID: sandbox.sessionID,
            bootID: String(boot.dropLast()),
            directory: sandbox.project,
            mode: "default",
            model: nil,
            isRestricted: false,
            executable: Sandbox.client
        )
        state.pid = pid
        state.startTime = String(stat[21])
        change(&state)
        try Data(state.bytes).write(to: URL(fileURLWithPath: sandbox.stateDirectory + "/state.json"))
    }
}

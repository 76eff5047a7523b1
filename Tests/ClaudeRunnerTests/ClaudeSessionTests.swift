import ClaudeRunner
import Foundation
import JSON
import Testing

/// Sessions with the scripted client.
@Suite(.timeLimit(.minutes(5))) struct ClaudeSessionTests {
    private let allow = PromptReply.allow(updatedInput: nil, permissions: [])

    @Test func aSessionStartsAnswersAndStops() async throws {
        let sandbox = try Sandbox()
        let session = try await sandbox.start()
        let events = EventReader(session)
        let start = await session.snapshot
        #expect(start.state == .idle)
        #expect(start.sessionID == sandbox.sessionID)
        #expect(start.directory == sandbox.project)
        #expect(sandbox.state?.pid == start.pid)
        let id = Sandbox.message()
        try await session.send(id: id, content: .string("hello"), asCommand: false)
        #expect(await events.text() == "hello 5")
        let turn = await events.turn()
        #expect(turn?.messageIDs == [id])
        #expect(turn?.isOurs == true)
        #expect(turn?.totalCost == 0.25)
        #expect(await events.next { $0 == .messages([id], .finished) ? true : nil } == true)
        #expect(await session.snapshot.model == "scripted")
        let report = await session.stop(killLeftovers: false)
        #expect(report == StopReport(code: nil, signal: SIGTERM, leftRunning: []))
        #expect(await events.exit()?.signal == SIGTERM)
        #expect(!isRunning(start.pid))
        #expect(sandbox.state?.hasEnded == true)
        await #expect(throws: ClaudeError.notRunning) {
            try await session.send(id: Sandbox.message(), content: .string("a"), asCommand: false)
        }
    }

    @Test func thePlaceAndTheProcessAreItsOwn() async throws {
        let sandbox = try Sandbox()
        let session = try await sandbox.start()
        let pid = await session.snapshot.pid
        let fields = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8).split(separator: " ")
        #expect(fields[5] == "\(pid)")
        let directory = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/cwd")
        #expect(directory == sandbox.project)
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")
            .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\($0)") }
        #expect(Set(descriptors) == Set(["in", "out", "err"].map { "\(sandbox.stateDirectory)/\($0)" }))
        let environment = try String(contentsOfFile: "/proc/\(pid)/environ", encoding: .utf8).split(separator: "\0")
        #expect(environment.contains("CLAUDE_MONITOR_RUNNER=\(sandbox.sessionID)"))
        #expect(environment.contains("CLAUDE_CODE_DISABLE_FILE_MENTIONS=1"))
        let mode = try FileManager.default.attributesOfItem(atPath: sandbox.stateDirectory)[.posixPermissions]
        #expect(mode as? Int == 0o700)
        _ = await session.stop(killLeftovers: true)
    }

    @Test func aPermissionIsAnswered() async throws {
        let sandbox = try Sandbox()
        let session = try await sandbox.start()
        let events = EventReader(session)
        try await session.send(id: Sandbox.message(), content: .string("ask make"), asCommand: false)
        let prompt = try #require(await events.prompt())
        #expect(prompt.toolName == "Bash")
        #expect(await session.snapshot.prompts == [prompt])
        #expect(await session.snapshot.state == .waiting)
        let suggestions = prompt.request["permission_suggestions"]?.array ?? []
        #expect(try await session.answer(prompt: prompt.id, .allow(updatedInput: nil, permissions: suggestions)))
        #expect(try await !session.answer(prompt: prompt.id, allow))
        #expect(await events.text()?.contains("updatedPermissions") == true)
        #expect(await events.turn()?.subtype == "success")
        try await session.send(id: Sandbox.message(), content: .string("form"), asCommand: false)
        let form = try #require(await events.prompt())
        #expect(form.isElicitation)
        let answer = JSONValue.object([("branch", .string("main"))])
        #expect(try await session.answer(prompt: form.id, .elicitation(action: "accept", content: answer)))
        #expect(await events.text()?.contains("main") == true)
        _ = await session.stop(killLeftovers: true)
    }

    @Test func anUnknownRequestOfTheClientIsRefused() async throws {
        let sandbox = try Sandbox()
        let session = try await sandbox.start()
        let events = EventReader(session)
        try await session.send(id: Sandbox.message(), content: .string("unknown"), asCommand: false)
        #expect(await events.text() == "\"Unsupported control request subtype: request_user_dialog\"")
        _ = await session.stop(killLeftovers: true)
    }

    @Test func anInterruptTakesTheQueueBack() async throws {
        let sandbox = try Sandbox()
        let session = try await sandbox.start()
        let events = EventReader(session)
        let ids = (0..<3).map { _ in Sandbox.message() }
        try await session.send(id: ids[0], content: .string("ask x"), asCommand: false)
        let prompt = try #require(await events.prompt())
        for id in ids[1...] { try await session.send(id: id, content: .string("later"), asCommand: false) }
        #expect(try await session.cancel(id: ids[1]))
        #expect(try await !session.cancel(id: ids[1]))
        #expect(try await session.interrupt(cancelQueued: true) == [ids[2]])
        let turn = await events.turn()
        #expect(turn?.terminalReason == "aborted_tools")
        #expect(await events.next { $0 == .messages([ids[0]], .cancelled) ? true : nil } == true)
        #expect(await session.snapshot.state == .idle)
        #expect(events.seen.contains(.promptWithdrawn(id: prompt.id)))
        #expect(events.seen.messages(.cancelled).sorted() == ids.sorted())
        #expect(try await !session.answer(prompt: prompt.id, allow))
        _ = await session.stop(killLeftovers: true)
    }

    @Test func modeModelTitleAndContext() async throws {
        let sandbox = try Sandbox()
        let session = try await sandbox.start { $0.mode = "plan" }
        #expect(await session.snapshot.mode == "plan")
        try await session.set(mode: "acceptEdits")
        try await session.set(model: "opus")
        #expect(await session.snapshot.mode == "acceptEdits")
        #expect(await session.snapshot.model == "opus")
        try await session.rename("A title")
        #expect(try await session.contextUsage()["totalTokens"]?.integer == 3567)
        await #expect(throws: ClaudeError.invalid("the model")) { try await session.set(model: "--help") }
        await #expect(throws: ClaudeError.refused("Unsupported control request subtype: get_plan")) {
            try await session.request(.plan)
        }
        _ = await session.stop(killLeftovers: true)
    }

    @Test func clearGoesOnAsAnotherSession() async throws {
        let sandbox = try Sandbox()
        let session = try await sandbox.start()
        let events = EventReader(session)
        try await session.send(id: Sandbox.message(), content: .string("/clear"), asCommand: false)
        #expect(await events.turn() != nil)
        #expect(await session.snapshot.sessionID == sandbox.sessionID)
        try await session.send(id: Sandbox.message(), content: .string("/clear"), asCommand: true)
        let new = await events.next { if case .continued(let id) = $0 { id } else { nil } }
        #expect(new == "0000c1ea-0000-4000-8000-000000000001")
        #expect(try await eventually { sandbox.state?.conversationID == new })
        #expect(sandbox.state?.sessionID == sandbox.sessionID)
        _ = await session.stop(killLeftovers: true)
    }

    @Test func twoHundredMessagesComeOnceEach() async throws {
        let sandbox = try Sandbox()
        let session = try await sandbox.start()
        let events = EventReader(session)
        let ids = (0..<200).map { _ in Sandbox.message() }
        try await withThrowingTaskGroup { group in
            for id in ids {
                group.addTask {
                    // The second is a repetition by somebody who did not get the answer.
                    try await session.send(id: id, content: .string("m"), asCommand: false)
                    try await session.send(id: id, content: .string("m"), asCommand: false)
                }
            }
            try await group.waitForAll()
        }
        var left = Set(ids)
        _ = await events.next { event -> Bool? in
            if case .messages(let ended, .finished) = event { left.subtract(ended) }
            return left.isEmpty ? true : nil
        }
        #expect(sandbox.received.map { String($0.prefix(36)) }.sorted() == ids.sorted())
        #expect(events.seen.turns.count == 200)
        #expect(events.seen.messages(.finished).sorted() == ids.sorted())
        #expect(await session.snapshot.queue.isEmpty)
        _ = await session.stop(killLeftovers: true)
    }

    /// More than the pipe holds, in both directions.
    @Test func threeMegabytesInOneLine() async throws {
        let sandbox = try Sandbox()
        let session = try await sandbox.start()
        let events = EventReader(session)
        let text = String(repeating: "y", count: 3_000_000)
        let id = Sandbox.message()
        try await session.send(id: id, content: .string(text), asCommand: false)
        #expect(await events.text()?.hasSuffix(" 3000000") == true)
        #expect(sandbox.received == ["\(id) 3000000 \(text.prefix(50))"])
        #expect(sandbox.state?.writing == nil)
        try await session.send(id: Sandbox.message(), content: .string("big 3000000"), asCommand: false)
        #expect(await events.text()?.count == 3_000_000)
        _ = await session.stop(killLeftovers: true)
    }

    /// A client that does not read: the line that does not fit is noted first, and goes on when the client reads.
    @Test func aLineThatDoesNotFitIsNoted() async throws {
        let sandbox = try Sandbox()
        let session = try await sandbox.start()
        let events = EventReader(session)
        let pid = await session.snapshot.pid
        kill(pid, SIGSTOP)
        let id = Sandbox.message()
        let short = Sandbox.message()
        try await session.send(id: short, content: .string("short"), asCommand: false)
        #expect(sandbox.state?.messages == [short])
        #expect(sandbox.state?.writing == nil)
        let text = String(repeating: "z", count: 2_000_000)
        async let sending: Void = session.send(id: id, content: .string(text), asCommand: false)
        #expect(try await eventually { sandbox.state?.writing == id })
        kill(pid, SIGCONT)
        try await sending
        #expect(try await eventually { sandbox.state?.writing == nil })
        #expect(await events.turn()?.messageIDs == [short])
        #expect(await events.turn()?.messageIDs == [id])
        _ = await session.stop(killLeftovers: true)
    }

    @Test func withoutItsStateNothingIsSent() async throws {
        let sandbox = try Sandbox()
        let session = try await sandbox.start()
        let obstacle = sandbox.stateDirectory + "/state.json.new"
        // While the session still saves what the client said at its start, a file of this name comes and goes.
        #expect(try await eventually { mkdir(obstacle, 0o700) == 0 })
        let id = Sandbox.message()
        await #expect(throws: ClaudeError.notSaved) {
            try await session.send(id: id, content: .string("a"), asCommand: false)
        }
        #expect(await session.snapshot.queue.isEmpty)
        try FileManager.default.removeItem(atPath: obstacle)
        try await session.send(id: id, content: .string("a"), asCommand: false)
        #expect(await EventReader(session).turn()?.messageIDs == [id])
        #expect(sandbox.received.count == 1)
        _ = await session.stop(killLeftovers: true)
    }
}

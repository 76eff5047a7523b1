import EventModel
import FanoutSamples
import JSON
import RPC
import Sessions
import Testing

@testable import CdevDialect
@testable import WSFanout

@Suite("Derived events")
struct DerivedEventsTests {
    private func derived(_ hook: String, _ payload: String = "{}", tool: String? = nil) -> [(String, JSONValue)] {
        let event = hookEvent(5, hook, payload: payload, tool: tool)
        var tracker = PromptTracker()
        let news = HookEvent(event).map { tracker.news(of: $0) } ?? PromptNews()
        return DerivedEvents.of(event, EventContext(prompts: news)).map { ($0.name, parse($0.payload) ?? .null) }
    }

    @Test(
        "each hook event has its words in cdev",
        arguments: [
            ("SessionStart", "{}", ["claude_session_info", "claude_status", "session_start"]),
            ("SessionStart", #"{"source":"compact"}"#, ["claude_session_info", "session_start"]),
            ("SessionEnd", "{}", ["claude_status", "session_end"]),
            ("UserPromptSubmit", #"{"prompt":"p"}"#, ["claude_message", "claude_status"]),
            ("PreToolUse", "{}", ["claude_message"]),
            ("PostToolUse", "{}", ["claude_message"]),
            ("PostToolUseFailure", "{}", ["claude_message"]),
            ("PermissionRequest", "{}", ["claude_permission", "pty_permission", "claude_status"]),
            ("Stop", #"{"last_assistant_message":"m"}"#, ["claude_message", "claude_status"]),
            ("Stop", "{}", ["claude_status"]),
            ("StopFailure", "{}", ["claude_status"]),
            ("Notification", #"{"notification_type":"permission_prompt"}"#, []),
            ("Notification", #"{"notification_type":"agent_needs_input"}"#, ["claude_waiting", "claude_status"]),
            ("Notification", #"{"notification_type":"idle_prompt"}"#, ["claude_waiting"]),
            ("FileChanged", #"{"file_path":"/a","event":"unlink"}"#, ["file_changed"]),
            ("PreToolUse", #"{"agent_id":"sub"}"#, []),
            ("SomethingNew", "{}", []),
        ]
    )
    func words(hook: String, payload: String, names: [String]) {
        #expect(derived(hook, payload).map(\.0) == names)
    }

    @Test("after /clear, who follows the session learns its new id")
    func resolved() throws {
        func derived(_ payload: String) -> [DerivedEvent] {
            let sample = hookEvent(5, "Stop", payload: payload)
            var event = sample.event
            (event.type, event.hookEventName) = (.sessionChanged, nil)
            let committed = CommittedEvent(seq: sample.seq, event: event, workspaceID: sample.workspaceID)
            return DerivedEvents.of(committed, EventContext(prompts: PromptNews()))
        }
        let told = derived(#"{"continued_by":"new"}"#)
        #expect(told.map(\.name) == ["session_id_resolved"])
        let payload = try #require(told.first.flatMap { parse($0.payload) })
        #expect(payload["real_id"]?.string == "new" && payload["temporary_id"]?.string != nil)
        #expect(derived(#"{"continues":"old"}"#).isEmpty)
    }

    @Test("only claude_session_info and pty_permission have session_id in the payload: clients decode by shape")
    func shape() {
        for hook in ["SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "Stop"] {
            for (name, payload) in derived(hook, #"{"session_id":"s1","last_assistant_message":"m"}"#, tool: "Bash") {
                let mayHave = name == "claude_session_info" || name.hasPrefix("pty_")
                #expect((payload["session_id"] != nil) == mayHave, "\(hook) \(name)")
            }
        }
    }

    @Test("a tool's input is an object, a question has its options, a permission its three answers")
    func contents() throws {
        let call = derived("PreToolUse", #"{"tool_use_id":"t","tool_input":{"command":"ls"}}"#, tool: "Bash")[0].1
        let block = try #require(call["content"]?.array?.first)
        #expect(block["type"] == .string("tool_use"))
        #expect(block["input"]?["command"] == .string("ls"))
        let asked = #"{"questions":[{"question":"Which?","options":[{"label":"A","description":"a"}]}]}"#
        let question = derived("PreToolUse", #"{"tool_input":\#(asked)}"#, tool: "AskUserQuestion")
        #expect(question.map(\.0) == ["claude_message", "claude_waiting", "claude_status"])
        #expect(question[1].1["question"] == .string("Which?"))
        #expect(question[1].1["options"]?.array?.first?["label"] == .string("A"))
        let leave = derived("PermissionRequest", #"{"tool_input":{"command":"rm x"}}"#, tool: "Bash")
        #expect(leave[0].1["tool"] == .string("Bash"))
        #expect(leave[0].1["tool_name"] == .string("Bash"))
        #expect(leave[1].1["target"] == .string("rm x"))
        let keys = ["allow_once", "allow_session", "deny"]
        #expect(leave[1].1["options"]?.array?.map { $0["key"] } == keys.map { .string($0) })
    }

    @Test(
        "a permission says whether the notices show all of it",
        arguments: [[], [.summary], [.payload], [.summary, .payload]] as [ShownInput]
    )
    func complete(shown: ShownInput) throws {
        let asked = hookEvent(5, "PermissionRequest", payload: #"{"tool_input":{"command":"rm x"}}"#, tool: "Bash")
            .replacing { $0.facts.shownWhole = shown }
        var tracker = PromptTracker()
        let news = HookEvent(asked).map { tracker.news(of: $0) } ?? PromptNews()
        let told = DerivedEvents.of(asked, EventContext(prompts: news)).map { ($0.name, parse($0.payload) ?? .null) }
        #expect(told.first { $0.0 == "claude_permission" }?.1["complete"]?.bool == shown.contains(.payload))
        #expect(told.first { $0.0 == "pty_permission" }?.1["complete"]?.bool == shown.contains(.summary))
    }

    @Test("the names of notices are reserved, but for those that hooks have too")
    func reserved() {
        for hook in HookEventName.Known.allCases.map(\.rawValue) {
            for (name, _) in derived(hook, #"{"last_assistant_message":"m","tool_input":{}}"#, tool: "Bash") {
                let isHook = ["session_start", "session_end", "file_changed"].contains(name)
                #expect(EventType(rawValue: name).isReserved != isHook, "\(name)")
            }
        }
    }

    @Test("no frame has a raw line separator, however the payload is stored")
    func lineSeparators() throws {
        let separators = "\u{85}\u{2028}\u{2029}"
        let payload = "{\"prompt\":\"a\(separators)b\"}"
        let event = EncodedEvent(
            cdev: hookEvent(7, "UserPromptSubmit", payload: payload, summary: separators),
            epoch: epoch
        )
        for transport in [Transport.jsonRPC, .dialect, .plainWebSocket, .serverSentEvents] {
            var bytes: [UInt8] = []
            event.append(for: transport, to: &bytes)
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.unicodeScalars.contains { separators.unicodeScalars.contains($0) }, "\(transport)")
        }
        var bytes: [UInt8] = []
        event.append(for: .dialect, to: &bytes)
        let told = payloads(ofFrames: bytes).compactMap { parse($0)?["params"]?["payload"] }
        #expect(told.count == 3)
        #expect(told.first?["content"]?.array?.first?["text"] == .string("a\(separators)b"))
        #expect(told.last?["prompt"] == .string("a\(separators)b"))
    }

    @Test("frames carry the place and say which is the last; one of the event's own name stands in its place")
    func frames() {
        let prompt = EncodedEvent(cdev: hookEvent(7, "UserPromptSubmit", payload: #"{"prompt":"p"}"#), epoch: epoch)
        #expect(told(prompt) == ["event/claude_message 7 more", "event/claude_status 7 more", "event/prompt 7"])
        let begun = EncodedEvent(cdev: hookEvent(8, "SessionStart"), epoch: epoch)
        #expect(
            told(begun) == [
                "event/claude_session_info 8 more", "event/claude_status 8 more", "event/session_start 8",
            ]
        )
        let plain = EncodedEvent(cdev: hookEvent(9, "TaskCreated"), epoch: epoch)
        #expect(told(plain) == ["event/task_created 9"])
    }

    @Test("a live client and one that replays get the same bytes, a plain one gets none of them")
    func sameOnReplay() {
        let output = RecordingOutput()
        let hub = makeHub(output)
        hub.subscribe(1, .dialect)
        hub.subscribe(3)
        let live = hookEvent(1, "UserPromptSubmit", payload: #"{"prompt":"p"}"#)
            .replacing { $0.facts.promptIsInjected = true }
        hub.publish([EncodedEvent(cdev: live, epoch: epoch), encoded(2)])
        hub.subscribe(2, .dialect, after: 0)
        #expect(output.sent[1]?.flatMap(\.self) == output.sent[2]?.flatMap(\.self))
        #expect(output.seqs(1, .dialect) == [1, 1, 1, 2, 2])
        #expect(output.seqs(3) == [1, 2])
    }

    @Test(
        "a client speaks cdev by its name or by asking",
        arguments: [
            (#"{"clientInfo":{"name":"cdev-ios"}}"#, Transport.dialectAlone),
            (#"{"client_info":{"name":"CDEV"}}"#, .dialectAlone),
            (#"{"clientInfo":{"name":"browser"}}"#, .jsonRPC), ("{}", .jsonRPC), (#"{"dialect":"cdev"}"#, .dialect),
            (#"{"clientInfo":{"name":"cdev-ios"},"dialect":"cdev"}"#, .dialect),
            (#"{"clientInfo":{"name":"cdev-ios"},"dialect":"plain"}"#, .jsonRPC),
        ]
    )
    func choice(params: String, transport: Transport) {
        var session = newSession()
        let hello = #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":\#(params)}"#
        let position = StreamPosition(epoch: epoch, seq: 41)
        #expect(
            session.receive([UInt8](hello.utf8), in: context).hubActions
                == [.subscribe(.all, after: position, transport: transport)]
        )
        let other: (word: String, transport: Transport) =
            transport == .jsonRPC ? ("cdev", .dialect) : ("plain", .jsonRPC)
        let ask = #"{"jsonrpc":"2.0","id":1,"method":"event/subscribe","params":{"dialect":"\#(other.word)"}}"#
        #expect(
            session.receive([UInt8](ask.utf8), in: context).hubActions
                == [.subscribe(.all, after: position, transport: other.transport)]
        )
    }

    @Test("a client that is only recognized by its name gets the plain events when it asks for types")
    func types() {
        var session = newSession()
        let hello = #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":\#(RPCWalk.cdev)}"#
        _ = session.receive([UInt8](hello.utf8), in: context)
        for (params, transport) in [(#"{"types":["stop"]}"#, Transport.dialect), ("{}", .dialectAlone)] {
            let ask = #"{"jsonrpc":"2.0","id":1,"method":"event/subscribe","params":\#(params)}"#
            let actions = session.receive([UInt8](ask.utf8), in: context).hubActions
            guard case .subscribe(_, _, transport)? = actions.first else {
                Issue.record("\(params): \(actions)")
                continue
            }
        }
    }

    @Test("without the plain events the last notification moves the cursor, and an event without any is not sent")
    func alone() {
        let output = RecordingOutput()
        let hub = makeHub(output)
        hub.subscribe(1, .dialectAlone)
        let prompt = EncodedEvent(cdev: hookEvent(1, "UserPromptSubmit", payload: #"{"prompt":"p"}"#), epoch: epoch)
        hub.publish([prompt, EncodedEvent(cdev: hookEvent(2, "TaskCreated"), epoch: epoch)])
        hub.publish([EncodedEvent(cdev: hookEvent(3, "TaskCreated"), epoch: epoch)])
        hub.publish([EncodedEvent(cdev: hookEvent(4, "SessionEnd"), epoch: epoch)])
        let bytes = (output.sent[1] ?? []).flatMap(\.self)
        #expect(
            told(bytes) == [
                "event/claude_message 1 more", "event/claude_status 1", "event/claude_status 4 more",
                "event/session_end 4",
            ]
        )
    }

    @Test("a question is asked with its options alone, a plan is shown whole and approved once")
    func questionsAndPlans() {
        let asked = #"{"tool_input":{"questions":[{"question":"Which?","options":[{"label":"A"},{"label":"B"}]}]}}"#
        let question = derived("PermissionRequest", asked, tool: "AskUserQuestion")
        #expect(question.map(\.0) == ["claude_waiting", "claude_status"])
        #expect(question[0].1["options"]?.array?.map { $0["label"]?.string } == ["A", "B"])
        let plan = derived("PermissionRequest", #"{"tool_input":{"plan":"Plan\n1. Do it"}}"#, tool: "ExitPlanMode")
        #expect(plan.map(\.0) == ["claude_permission", "pty_permission", "claude_status"])
        #expect(plan[1].1["description"]?.string == "Plan\n1. Do it")
        #expect(plan[1].1["options"]?.array?.map { $0["key"]?.string } == ["allow_once", "deny"])
    }

    @Test("a reminder repeats the dialog and does not move the cursor")
    func reminder() throws {
        let event = hookEvent(5, "PermissionRequest", payload: #"{"tool_input":{"command":"rm x"}}"#, tool: "Bash")
        var tracker = PromptTracker()
        let prompt = try #require(HookEvent(event).flatMap { tracker.news(of: $0).asked })
        let later = start.adding(seconds: 60)
        let frames = payloads(ofFrames: PromptReminder.frames(of: prompt, askedBy: event, epoch: epoch, at: later))
        let message = try #require(frames.first.flatMap(parse))
        #expect(frames.count == 1 && message["method"]?.string == "event/pty_permission")
        let params = try #require(message["params"])
        #expect(params["seq"] == .integer(5) && params["more"] == .bool(true))
        #expect(params["timestamp"]?.string == later.description)
        #expect(params["payload"]?["tool_use_id"]?.string == prompt.toolUseID)
        #expect(params["payload"]?["target"]?.string == "rm x")
    }

    @Test("a notification that is too large for a message says so in place of its payload")
    func tooLarge() throws {
        let text = String(repeating: "x", count: 600_000)
        let hook = hookEvent(7, "UserPromptSubmit", payload: #"{"prompt":"\#(text)"}"#)
        var bytes: [UInt8] = []
        EncodedEvent(cdev: hook, epoch: epoch).append(for: .dialect, to: &bytes)
        let messages = payloads(ofFrames: bytes)
        #expect(messages.count == 3 && messages.allSatisfy { $0.count < MessageLimit.message })
        for message in [messages[0], messages[2]] {
            let params = parse(message)?["params"]
            #expect(params?["payload"] == .object([]) && params?["payload_truncated"] == .bool(true))
        }
    }

    private func told(_ event: EncodedEvent) -> [String] {
        var bytes: [UInt8] = []
        event.append(for: .dialect, to: &bytes)
        return told(bytes)
    }

    private func told(_ frames: [UInt8]) -> [String] {
        payloads(ofFrames: frames).compactMap(parse).map { message in
            let params = message["params"]
            let seq = params?["seq"]?.integer ?? -1
            return "\(message["method"]?.string ?? "") \(seq)" + (params?["more"] == .bool(true) ? " more" : "")
        }
    }
}

import EventModel
import JSON
import Sessions
import Testing

@testable import CdevDialect
@testable import EventIngest
@testable import Notifications
@testable import WSFanout

/// The session, the pushes and cdev's clients tell of the same prompts.
@Suite("Consumers of prompts")
struct PromptConsumersTests {
    private struct Consumers {
        var state = SessionState(id: "s1")
        var detector = NotificationDetector()
        var trackers = PromptTrackers()
        var actions: [NotificationAction] = []
        /// What the last event told cdev's clients.
        var frames = ""
        var ended = 0
        private var seq: Int64 = 0

        mutating func add(_ hook: String, _ seconds: Double, _ fields: String = "", tool: String? = nil) {
            seq += 1
            let payload = Array("{\(fields)}".utf8)
            let facts = try? JSONParser().withDocument(payload) {
                HookFacts.facts(of: $0, event: HookEventName(hook), policy: .summary)
            }
            let time = Timestamp(microseconds: 1_767_607_200_000_000).adding(seconds: seconds)
            let event = MonitorEvent(
                id: EventID(high: 7, low: UInt64(seq)),
                type: EventType(HookEventName(hook)),
                hookEventName: HookEventName(hook),
                timestamp: time,
                receivedAt: time,
                machine: MachineID(rawValue: 1),
                machineName: "studio",
                sessionID: "s1",
                projectPath: "/home/dev/shop",
                toolName: tool,
                summary: hook,
                payload: payload,
                facts: facts ?? SessionFacts()
            )
            let committed = CommittedEvent(seq: seq, event: event, workspaceID: "ws-1")
            state.apply(committed)
            actions += detector.take(committed)
            let (events, update) = trackers.encode([committed], epoch: "e")
            trackers.apply(update)
            ended += events.reduce(0) { $0 + $1.endedPermissions }
            var bytes: [UInt8] = []
            for event in events { event.append(for: .dialect, to: &bytes) }
            frames = String(decoding: bytes, as: UTF8.self)
        }

        var pushed: [String?] {
            actions.compactMap { action in
                guard case .raise(let notice) = action, notice.kind.isPrompt else { return nil }
                return notice.details.toolUseID
            }
        }

        var withdrawn: [WithdrawalReason] {
            actions.compactMap { action in
                guard case .withdraw(let withdrawal) = action else { return nil }
                return withdrawal.reason
            }
        }
    }

    @Test("an approval with another input ends the prompt everywhere", arguments: [nil, "t1"])
    func editedInput(id: String?) {
        var all = Consumers()
        if let id { all.add("PreToolUse", 9, #""tool_use_id":"\#(id)","tool_input":{"command":"rm x"}"#, tool: "Bash") }
        all.add("PermissionRequest", 10, #""tool_input":{"command":"rm x"}"#, tool: "Bash")
        #expect(all.state.session?.state == .waiting)
        all.add("PostToolUse", 30, #""tool_use_id":"t1","tool_input":{"command":"rm -i x"}"#, tool: "Bash")
        #expect(all.state.session?.state == .running)
        #expect(all.state.session?.prompts == [])
        #expect(all.withdrawn == [.answeredElsewhere])
        #expect(all.ended == 1 && all.frames.contains(#""decision":"allow""#))
    }

    @Test("a prompt has one id everywhere", arguments: [nil, "toolu_1"])
    func oneID(id: String?) throws {
        var all = Consumers()
        if let id { all.add("PreToolUse", 9, #""tool_use_id":"\#(id)","tool_input":{}"#, tool: "Bash") }
        all.add("PermissionRequest", 10, #""tool_input":{}"#, tool: "Bash")
        let shown = try #require(all.state.session?.waitingFor?.toolUseID)
        #expect(id == nil ? shown.hasPrefix("prm_") : shown == id)
        #expect(Set(all.pushed) == [shown])
        #expect(all.frames.contains("\"tool_use_id\":\"\(shown)\""))
        all.add("Stop", 30)
        #expect(all.frames.contains("\"tool_use_id\":\"\(shown)\"") && all.withdrawn == [.turnWentOn])
    }

    @Test("idle is told to devices, and is no waiting")
    func idle() {
        var all = Consumers()
        all.add("UserPromptSubmit", 0, #""prompt":"go""#)
        all.add("Stop", 10)
        all.add("Notification", 70, #""notification_type":"idle_prompt","message":"Claude waits""#)
        #expect(all.state.session?.state == .idle && all.state.session?.waitingFor == nil)
        #expect(all.pushed.count == 1)
        #expect(all.frames.contains("event/claude_waiting") && !all.frames.contains(#""state":"waiting""#))
    }
}

import EventModel
import JSON

@testable import EventIngest
@testable import Sessions

/// Hook events of one session, taken one after the other: with the facts that are read when they are ingested.
struct Hooks {
    static let toolInput = #""tool_input":{"command":"ls"}"#

    var tracker = PromptTracker()
    private(set) var state = SessionState(id: "s1")
    private var count: Int64 = 0

    static func time(_ seconds: Double) -> Timestamp {
        Timestamp(microseconds: 1_767_607_200_000_000).adding(seconds: seconds)
    }

    static func id(_ seq: Int64) -> EventID { EventID(high: 0x0190_b7c4_0000_7000, low: UInt64(seq)) }

    static func event(
        _ hook: String,
        _ seconds: Double,
        _ fields: String = "",
        tool: String? = nil,
        seq: Int64 = 1,
        delay: Double = 0
    ) -> CommittedEvent {
        let payload = Array("{\(fields)}".utf8)
        let facts = try? JSONParser().withDocument(payload) {
            HookFacts.facts(of: $0, event: HookEventName(hook), policy: .summary)
        }
        let event = MonitorEvent(
            id: id(seq),
            type: EventType(HookEventName(hook)),
            hookEventName: HookEventName(hook),
            timestamp: time(seconds),
            receivedAt: time(seconds + delay),
            machine: MachineID(rawValue: 1),
            machineName: "studio",
            sessionID: "s1",
            projectPath: "/home/dev/shop",
            toolName: tool,
            summary: "\(hook) summary",
            payload: payload,
            facts: facts ?? SessionFacts()
        )
        return CommittedEvent(seq: seq, event: event, workspaceID: "ws-1")
    }

    /// - Parameter delay: seconds from the event to its receipt. Without one it may have been stamped on arrival.
    @discardableResult
    mutating func add(
        _ hook: String,
        _ seconds: Double,
        _ fields: String = "",
        tool: String? = nil,
        delay: Double = 0
    ) -> [PromptChange] {
        count += 1
        let committed = Hooks.event(hook, seconds, fields, tool: tool, seq: count, delay: delay)
        state.apply(committed)
        guard var hook = HookEvent(committed) else { return [] }
        hook.setTime(by: &tracker.clock)
        return tracker.take(hook)
    }

    /// A permission request without an id, and the call's start before it where `id` is given.
    @discardableResult
    mutating func ask(_ seconds: Double, id: String? = nil, _ fields: String = toolInput) -> [PromptChange] {
        if let id { add("PreToolUse", seconds - 0.1, #""tool_use_id":"\#(id)",\#(fields)"#, tool: "Bash") }
        return add("PermissionRequest", seconds, fields, tool: "Bash")
    }

    mutating func notify(_ type: String, _ seconds: Double) -> [PromptChange] {
        add("Notification", seconds, #""notification_type":"\#(type)","message":"Claude asks""#)
    }
}

import EventModel
import Testing

@testable import Sessions

/// Events of one session, told one after the other.
struct Story {
    private(set) var fold = SessionState(id: "s1")
    private var count: Int64 = 0

    var session: Session { get throws { try #require(fold.session) } }

    init() {}

    init(_ events: some Sequence<MonitorEvent>) {
        for event in events { apply(event) }
    }

    static func time(_ seconds: Int64) -> Timestamp {
        Timestamp(microseconds: 1_767_607_200_000_000 + seconds * 1_000_000)
    }

    mutating func add(
        _ name: HookEventName.Known,
        at seconds: Int64,
        tool: String? = nil,
        input: UInt64? = nil,
        agent: String? = nil,
        change: (inout MonitorEvent) -> Void = { _ in }
    ) {
        _ = self.change(name, at: seconds, tool: tool, input: input, agent: agent, change: change)
    }

    /// As `add`; returns what the event changes about prompts.
    mutating func change(
        _ name: HookEventName.Known,
        at seconds: Int64,
        tool: String? = nil,
        input: UInt64? = nil,
        agent: String? = nil,
        change: (inout MonitorEvent) -> Void = { _ in }
    ) -> [PromptChange] {
        var event = Story.event(name, at: seconds, id: UInt64(count))
        event.toolName = tool
        event.facts.toolInputHash = input
        event.facts.agentID = agent
        change(&event)
        return take(event)
    }

    private mutating func apply(_ event: MonitorEvent) { _ = take(event) }

    mutating func take(_ event: MonitorEvent) -> [PromptChange] {
        count += 1
        return fold.apply(CommittedEvent(seq: count, event: event, workspaceID: nil))
    }

    static func event(_ name: HookEventName.Known, at seconds: Int64, id: UInt64) -> MonitorEvent {
        MonitorEvent(
            id: EventID(high: 0, low: id),
            type: EventType(.known(name)),
            hookEventName: .known(name),
            timestamp: time(seconds),
            receivedAt: time(seconds),
            machine: MachineID(rawValue: 1),
            machineName: "mac-studio",
            sessionID: "s1",
            projectPath: "/home/dev/app",
            toolName: nil,
            summary: "summary \(id)",
            payload: Array("{}".utf8),
            facts: SessionFacts()
        )
    }

    static func call(
        _ name: HookEventName.Known,
        at seconds: Int64,
        id: UInt64,
        use: String?,
        input: UInt64
    ) -> MonitorEvent {
        var event = event(name, at: seconds, id: id)
        event.toolName = "Bash"
        event.facts.toolUseID = use
        event.facts.toolInputHash = input
        return event
    }

    /// From its prompt to its stop, with two calls that ask.
    static func turn() -> [MonitorEvent] {
        var notification = event(.notification, at: 9, id: 9)
        notification.facts.detail = "permission_prompt"
        return [
            event(.userPromptSubmit, at: 0, id: 0),
            call(.preToolUse, at: 2, id: 2, use: "t1", input: 1),
            call(.permissionRequest, at: 3, id: 3, use: nil, input: 1),
            notification,
            call(.postToolUse, at: 10, id: 10, use: "t1", input: 1),
            call(.preToolUse, at: 12, id: 12, use: "t2", input: 2),
            call(.permissionRequest, at: 13, id: 13, use: nil, input: 2),
            call(.postToolUse, at: 15, id: 15, use: "t2", input: 3),
            event(.postToolBatch, at: 16, id: 16),
            event(.stop, at: 20, id: 20),
        ]
    }

    /// Up to 24 events, with equal times now and then. Few enough that no bound is reached.
    static func random(using random: inout SeededGenerator) -> [MonitorEvent] {
        (0..<UInt64.random(in: 1...24, using: &random)).map { id in
            let name = HookEventName.Known.allCases.randomElement(using: &random) ?? .stop
            var event = event(name, at: Int64.random(in: 0...20, using: &random), id: id)
            event.toolName = ["Bash", "Write", "AskUserQuestion"].randomElement(using: &random)
            event.facts.toolInputHash = UInt64.random(in: 0...2, using: &random)
            event.facts.agentID = [nil, nil, "a1"].randomElement(using: &random) ?? nil
            event.facts.agentType = event.facts.agentID == nil ? "" : "Explore"
            event.facts.detail = ["startup", "compact", "permission_prompt", "other"].randomElement(using: &random)
            event.facts.model = ["opus", "sonnet", nil].randomElement(using: &random) ?? nil
            event.projectPath = "/home/dev/\(UInt64.random(in: 0...2, using: &random))"
            event.machineName = "machine \(id % 2)"
            return event
        }
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): one seed, one sequence.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

public import EventModel

/// One committed event of a Claude Code hook, with typed access to what it means.
///
/// Most of it was read when the event was ingested. The stored payload is parsed only when `details` is read.
public struct HookEvent: Sendable {
    public let name: HookEventName.Known
    public let committed: CommittedEvent
    /// By the sender's clock, or the server's where the sender's is far ahead.
    public let time: Timestamp
    private var parsed: HookDetails?

    /// Returns `nil` for an event that names no known hook.
    public init?(_ committed: CommittedEvent) {
        guard let name = committed.event.hookEventName?.known else { return nil }
        self.name = name
        self.committed = committed
        time = committed.event.sessionTime
    }

    /// What only the payload says. Parses the payload at each read, unless `parseDetails` was called before.
    public var details: HookDetails { parsed ?? HookDetails(committed.event.payload, of: name) }

    /// Parses the payload once, for a caller that reads `details` of every event.
    public mutating func parseDetails() { parsed = details }
}

extension HookEvent {
    public var seq: Int64 { committed.seq }
    public var eventID: EventID { committed.event.id }
    public var receivedAt: Timestamp { committed.event.receivedAt }
    public var sessionID: String? { committed.event.sessionID }
    public var machine: MachineID { committed.event.machine }
    public var workspaceID: String? { committed.workspaceID }
    public var toolName: String? { committed.event.toolName }
    public var summary: String { committed.event.summary }
    public var toolUseID: String? { committed.event.facts.toolUseID }
    /// A hash of the tool's input as the machine sent it, before masking and cutting.
    public var inputHash: UInt64? { committed.event.facts.toolInputHash }
    /// `nil` for the main agent.
    public var agentID: String? { committed.event.facts.agentID }
    /// SessionStart `source`, SessionEnd `reason`, Notification `notification_type`, StopFailure `error`.
    public var detail: String? { committed.event.facts.detail }
    public var isInjectedPrompt: Bool { committed.event.facts.promptIsInjected }
    public var costUSD: Double? { committed.event.facts.costUSD }

    /// Automatic compaction restarts the session in the middle of a turn, which goes on.
    public var isCompaction: Bool { name == .sessionStart && detail == "compact" }

    /// The CLI's own helpers (compaction, prompt suggestions) end a subagent that never started. Such an event says
    /// nothing about its session.
    public var isInternal: Bool { name == .subagentStop && committed.event.facts.agentType?.isEmpty ?? true }

    /// The tool is itself a question to a person.
    public var isQuestionTool: Bool { toolName == "AskUserQuestion" || toolName == "ExitPlanMode" }

    /// The result of one tool call, or its refusal by a rule.
    public var endsToolCall: Bool {
        switch name {
        case .postToolUse, .postToolUseFailure, .permissionDenied: true
        default: false
        }
    }

    var call: CallKey { CallKey(agentID: agentID, toolName: toolName, inputHash: inputHash) }
}

extension MonitorEvent {
    /// Further ahead of the server's clock than this, a sender's clock is wrong, and the time of receipt counts.
    private static let clockToleranceSeconds = 300.0

    /// When it happened, in its session's own time.
    var sessionTime: Timestamp {
        timestamp.seconds(since: receivedAt) <= MonitorEvent.clockToleranceSeconds ? timestamp : receivedAt
    }
}

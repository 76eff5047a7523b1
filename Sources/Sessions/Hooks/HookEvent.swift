public import EventModel

/// One committed event of a Claude Code hook, with typed access to its facts.
///
/// Most facts were extracted at ingest. The stored payload is parsed only when `details` is read.
public struct HookEvent: Sendable {
    public let name: HookEventName.Known
    public let committed: CommittedEvent
    /// The sender's time, or the time of receipt if the sender's clock is far ahead. See `SessionClock`.
    public private(set) var time: Timestamp
    private var parsed: HookDetails?

    /// Returns `nil` for an event of an unknown hook.
    public init?(_ committed: CommittedEvent) {
        guard let name = committed.event.hookEventName?.known else { return nil }
        self.name = name
        self.committed = committed
        time = committed.event.sessionTime
    }

    /// Sets the time by the session's clock. Must be called once for each event, in log order.
    public mutating func setTime(by clock: inout SessionClock) { time = clock.time(of: committed.event) }

    /// - Parameter time: the time by the session's clock.
    init?(_ committed: CommittedEvent, at time: Timestamp) {
        self.init(committed)
        self.time = time
    }

    /// Facts that only the payload contains. Each read parses the payload, unless `parseDetails` was called before.
    public var details: HookDetails { parsed ?? HookDetails(committed.event, of: name) }

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
    public var detail: String? {
        committed.event.facts.detail ?? (name == .notification ? notificationType : nil)
    }

    /// The type of a notification that was stored without one.
    private var notificationType: String? { details.message.flatMap(NotificationType.type(ofMessage:)) }
    public var isInjectedPrompt: Bool { committed.event.facts.promptIsInjected }
    /// The machine's approvals file says that devices are not notified of the event's prompt.
    public var isSilent: Bool { committed.event.facts.isSilent }
    public var costUSD: Double? { committed.event.facts.costUSD }

    /// Whether automatic compaction restarted the session in the middle of a turn. The turn continues.
    public var isCompaction: Bool { name == .sessionStart && detail == "compact" }

    /// The CLI's internal helpers (compaction, prompt suggestions) end a subagent that never started. Such an event
    /// contains no information about its session.
    public var isInternal: Bool { name == .subagentStop && committed.event.facts.agentType?.isEmpty ?? true }

    /// Whether the event has only the time of receipt, so that it is unknown when the hook ran.
    var isStampedOnArrival: Bool { time == receivedAt }

    /// Whether the tool itself asks a person a question.
    public var isQuestionTool: Bool { toolName == "AskUserQuestion" || toolName == "ExitPlanMode" }

    /// Whether the event reports the result of one tool call, or its refusal by a rule.
    public var endsToolCall: Bool {
        switch name {
        case .postToolUse, .postToolUseFailure, .permissionDenied: true
        default: false
        }
    }

    var call: CallKey { CallKey(agentID: agentID, toolName: toolName, inputHash: inputHash) }
}

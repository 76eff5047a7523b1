package import EventModel

/// One committed event of a Claude Code hook, with typed access to its facts.
///
/// Most facts were extracted at ingest. The stored payload is parsed only when `details` is read.
package struct HookEvent: Sendable {
    package let name: HookEventName.Known
    package let committed: CommittedEvent
    /// The sender's time, or the time of receipt if the sender's clock is far ahead. See `SessionClock`.
    package private(set) var time: Timestamp
    private var parsed: HookDetails?

    /// Returns `nil` for an event of an unknown hook.
    package init?(_ committed: CommittedEvent) {
        guard let name = committed.event.hookEventName?.known else { return nil }
        self.name = name
        self.committed = committed
        time = committed.event.sessionTime
    }

    /// Sets the time by the session's clock. Must be called once for each event, in log order.
    package mutating func setTime(by clock: inout SessionClock) { time = clock.time(of: committed.event) }

    /// - Parameter time: the time by the session's clock.
    init?(_ committed: CommittedEvent, at time: Timestamp) {
        self.init(committed)
        self.time = time
    }

    /// Facts that only the payload contains. Each read parses the payload, unless `parseDetails` was called before.
    package var details: HookDetails { parsed ?? HookDetails(committed.event, of: name) }

    /// Parses the payload once, for a caller that reads `details` of every event.
    package mutating func parseDetails() { parsed = details }
}

extension HookEvent {
    package var seq: Int64 { committed.seq }
    package var eventID: EventID { committed.event.id }
    package var receivedAt: Timestamp { committed.event.receivedAt }
    package var sessionID: String? { committed.event.sessionID }
    package var machine: MachineID { committed.event.machine }
    package var workspaceID: String? { committed.workspaceID }
    package var toolName: String? { committed.event.toolName }
    package var summary: String { committed.event.summary }
    package var toolUseID: String? { committed.event.facts.toolUseID }
    /// Whether the event is of a call that a program or a device has asked for, and not of one that the model makes: no
    /// turn runs because of it.
    var isOfRequestedCall: Bool { RequestedCall.has(toolUseID) }

    /// A hash of the tool's input as the machine sent it, before masking and cutting.
    package var inputHash: UInt64? { committed.event.facts.toolInputHash }
    /// `nil` for the main agent.
    package var agentID: String? { committed.event.facts.agentID }
    /// SessionStart `source`, SessionEnd `reason`, Notification `notification_type`, StopFailure `error`.
    package var detail: String? {
        committed.event.facts.detail ?? (name == .notification ? notificationType : nil)
    }

    /// The type of a notification that was stored without one.
    private var notificationType: String? { details.message.flatMap(NotificationType.type(ofMessage:)) }
    package var isInjectedPrompt: Bool { committed.event.facts.promptIsInjected }
    /// The machine's approvals file says that devices are not notified of the event's prompt.
    package var isSilent: Bool { committed.event.facts.isSilent }
    package var costUSD: Double? { committed.event.facts.costUSD }

    /// Whether automatic compaction restarted the session in the middle of a turn. The turn continues.
    package var isCompaction: Bool { name == .sessionStart && detail == "compact" }

    /// The CLI's internal helpers (compaction, prompt suggestions) end a subagent that never started. Such an event
    /// contains no information about its session.
    package var isInternal: Bool { name == .subagentStop && committed.event.facts.agentType?.isEmpty ?? true }

    /// Whether the event has only the time of receipt, so that it is unknown when the hook ran.
    var isStampedOnArrival: Bool { time == receivedAt }

    /// Whether the tool itself asks a person a question.
    package var isQuestionTool: Bool { toolName == "AskUserQuestion" || toolName == "ExitPlanMode" }

    /// Whether the event reports the result of one tool call, or its refusal by a rule.
    package var endsToolCall: Bool {
        switch name {
        case .postToolUse, .postToolUseFailure, .permissionDenied: true
        default: false
        }
    }

    var call: CallKey { CallKey(agentID: agentID, toolName: toolName, inputHash: inputHash) }
}

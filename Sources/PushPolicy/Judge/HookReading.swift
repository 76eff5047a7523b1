internal import EventModel
internal import JSON

/// What the judge reads of an event: its facts, which were taken before anything was masked or left out, and of the
/// stored payload what they do not say.
struct HookReading: Sendable, Equatable {
    var name: HookEventName.Known
    var seq: Int64
    var eventID: EventID
    /// By the sender's clock, or the server's where that one is far ahead.
    var time: Timestamp
    var receivedAt: Timestamp
    var place: NoticePlace
    var toolName: String?
    var summary: String
    var toolUseID: String?
    var inputHash: UInt64?
    /// The main agent: `nil`.
    var agentID: String?
    var agentType: String?
    /// SessionStart `source`, SessionEnd `reason`, Notification `notification_type`, StopFailure `error`.
    var detail: String?
    var title: String?
    /// What Claude asks, where the event says it.
    var question: String?
    var isInjectedPrompt = false
    /// The summary is what a person typed.
    var isTypedPrompt = false
    var isInterrupt = false
    var durationSeconds: Double?
    /// Work that a stopping agent leaves running and will hear of. `nil`: the CLI does not say.
    var backgroundWork: Int?
    var elicitationID: String?
    var costUSD: Double?
    /// The same for everything between two inputs of a person; CLIs before 2.1.196 do not tell it.
    var promptID: String?
    /// Of a Stop: a Stop hook has made the turn go on before.
    var isStopHookActive = false

    /// Further ahead of the server's clock than this, a sender's clock is wrong.
    static let clockToleranceSeconds = 300.0

    /// `nil` for events that say nothing about whether somebody is wanted.
    init?(_ committed: CommittedEvent) {
        let event = committed.event
        guard let name = event.hookEventName?.known, HookReading.judged.contains(name) else { return nil }
        self.name = name
        seq = committed.seq
        eventID = event.id
        let isPlausible = event.timestamp.seconds(since: event.receivedAt) <= HookReading.clockToleranceSeconds
        time = isPlausible ? event.timestamp : event.receivedAt
        receivedAt = event.receivedAt
        toolName = event.toolName
        summary = event.summary
        place = NoticePlace(
            sessionID: event.sessionID,
            workspaceID: committed.workspaceID,
            machineName: event.machineName,
            projectName: event.projectPath?.split { $0 == "/" || $0 == "\\" }.last.map(String.init)
        )
        toolUseID = event.facts.toolUseID
        inputHash = event.facts.toolInputHash
        agentID = event.facts.agentID
        agentType = event.facts.agentType
        detail = event.facts.detail
        isInjectedPrompt = event.facts.promptIsInjected
        costUSD = event.facts.costUSD
        // A payload that cannot be read leaves what the event itself says.
        try? JSONParser().withDocument(event.payload) { read($0) }
        // The CLI's own helpers end a subagent that never started.
        if name == .subagentStop, agentType?.isEmpty ?? true { return nil }
    }

    private mutating func read(_ hook: JSONElement) {
        title = HookReading.word(hook["session_title"])
        elicitationID = HookReading.word(hook["elicitation_id"]) ?? HookReading.word(hook["mcp_server_name"])
        promptID = HookReading.word(hook["prompt_id"])
        isStopHookActive = hook["stop_hook_active"]?.bool ?? false
        isInterrupt = hook["is_interrupt"]?.bool ?? false
        if let milliseconds = hook["duration_ms"]?.double, milliseconds >= 0 { durationSeconds = milliseconds / 1000 }
        switch name {
        case .userPromptSubmit:
            isTypedPrompt = !isInjectedPrompt && hook["prompt"]?.utf8Count ?? 0 > 0
        case .preToolUse, .permissionRequest:
            let asked = hook["tool_input"]?["questions"]?.elements.first { _ in true }
            question = asked?["question"]?.string.map { NoticeContent.cut($0, to: 400) }
        case .stop: backgroundWork = hook["background_tasks"].flatMap(HookReading.work)
        default: break
        }
    }

    /// Shells and monitors may run for ever, and nothing is finished when they end; so they do not count.
    private static func work(_ tasks: JSONElement) -> Int? {
        guard tasks.isArray else { return nil }
        var count = 0
        for task in tasks.elements {
            guard task["status"]?.string ?? "running" == "running" else { continue }
            switch task["type"]?.string {
            case "shell", "monitor": continue
            default: count += 1
            }
        }
        return count
    }

    /// At most 200 bytes; what is longer is no name.
    private static func word(_ element: JSONElement?) -> String? {
        guard let element, let length = element.utf8Count, length <= 200 else { return nil }
        return element.string
    }

    private static let judged: Set<HookEventName.Known> = [
        .preToolUse, .postToolUse, .postToolUseFailure, .postToolBatch, .notification, .userPromptSubmit,
        .sessionStart, .sessionEnd, .stop, .stopFailure, .subagentStart, .subagentStop, .permissionRequest,
        .permissionDenied, .elicitation, .elicitationResult,
    ]
}

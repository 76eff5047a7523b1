/// One event in the monitor's own form, before it has a position in the log.
public struct MonitorEvent: Sendable, Equatable {
    public var id: EventID
    public var type: EventType
    /// `nil` if the sender named none and the type does not determine one.
    public var hookEventName: HookEventName?
    /// When the event happened, by the sender's clock.
    public var timestamp: Timestamp
    /// When the server received the event, by the server's clock.
    public var receivedAt: Timestamp
    /// The machine whose key posted the event.
    public var machine: MachineID
    /// The name for which the machine's key was created.
    public var machineName: String
    /// The name that the machine reports, if any. It is displayed but never trusted.
    public var reportedMachineName: String?
    /// `nil` for events outside any session.
    public var sessionID: String?
    /// The project's directory, if the sender or the payload names it. `cwd` follows `cd`, so it is only the second
    /// choice.
    public var projectPath: String?
    public var toolName: String?
    /// One line for people, at most 200 characters.
    public var summary: String
    /// The hook's JSON object as stored: valid UTF-8 without `\u0000`, masked and cut by the content policy.
    public var payload: [UInt8]
    public var facts: SessionFacts

    public init(
        id: EventID,
        type: EventType,
        hookEventName: HookEventName?,
        timestamp: Timestamp,
        receivedAt: Timestamp,
        machine: MachineID,
        machineName: String,
        reportedMachineName: String? = nil,
        sessionID: String?,
        projectPath: String?,
        toolName: String?,
        summary: String,
        payload: [UInt8],
        facts: SessionFacts
    ) {
        self.id = id
        self.type = type
        self.hookEventName = hookEventName
        self.timestamp = timestamp
        self.receivedAt = receivedAt
        self.machine = machine
        self.machineName = machineName
        self.reportedMachineName = reportedMachineName
        self.sessionID = sessionID
        self.projectPath = projectPath
        self.toolName = toolName
        self.summary = summary
        self.payload = payload
        self.facts = facts
    }
}

extension MonitorEvent {
    /// The time of the event, corrected by the machine's clock offset if it is known. Never later than `receivedAt`.
    public var activityTime: Timestamp {
        guard timestamp != receivedAt, let offset = facts.clockOffset else { return min(timestamp, receivedAt) }
        return min(timestamp.adding(seconds: -offset), receivedAt)
    }
}

extension Array<MonitorEvent> {
    /// The total length of all payloads.
    public var payloadBytes: Int { indices.reduce(0) { $0 + self[$1].payload.count } }
}

/// A machine's row in the database. It is created with the machine's first key.
public struct MachineID: Sendable, Hashable {
    /// The monitor itself: what it does with remote MCP servers. It posts nothing, and clients are told no machine.
    public static let monitor = MachineID(rawValue: 0)

    public var rawValue: Int64

    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

/// The values from which a session's state is derived, read from the hook's JSON before it is masked and cut.
public struct SessionFacts: Sendable, Equatable {
    public var toolUseID: String?
    /// A hash of the tool's input. It distinguishes two calls of the same tool if no `tool_use_id` is sent
    /// (PermissionRequest).
    public var toolInputHash: UInt64?
    /// Set inside a subagent.
    public var agentID: String?
    /// Empty for the CLI's internal agents, whose events say nothing about the session.
    public var agentType: String?
    public var permissionMode: String?
    public var model: String?
    public var title: String?
    /// SessionStart `source`, SessionEnd `reason`, Notification `notification_type`, StopFailure `error`.
    public var detail: String?
    /// The prompt begins with `<task-notification>` or the like: no person typed it.
    public var promptIsInjected: Bool
    public var usage: TokenUsage?
    public var costUSD: Double?
    /// The machine's approvals file says that devices are not notified of the prompt (`who=off`).
    public var isSilent = false
    /// The risk of the tool call that a prompt asks about, or of a command inside a skill.
    public var risk: ToolRisk?
    /// The texts of a permission request that show the tool's whole input.
    public var shownWhole: ShownInput = []
    /// A hash of the error of a failed tool call; `nil` for other events.
    public var errorHash: UInt64?
    /// What telemetry or a transcript reports; `nil` for hooks.
    public var report: SessionReport?
    /// The sender's number; `nil` if it does not number its events.
    public var stream: StreamNumber?
    /// The offset of the machine's clock in seconds, as measured at ingest: positive if the clock was ahead of the
    /// server's. `nil` if it was right or has not been measured.
    public var clockOffset: Double?

    public init(
        toolUseID: String? = nil,
        toolInputHash: UInt64? = nil,
        agentID: String? = nil,
        agentType: String? = nil,
        permissionMode: String? = nil,
        model: String? = nil,
        title: String? = nil,
        detail: String? = nil,
        promptIsInjected: Bool = false,
        usage: TokenUsage? = nil,
        costUSD: Double? = nil
    ) {
        self.toolUseID = toolUseID
        self.toolInputHash = toolInputHash
        self.agentID = agentID
        self.agentType = agentType
        self.permissionMode = permissionMode
        self.model = model
        self.title = title
        self.detail = detail
        self.promptIsInjected = promptIsInjected
        self.usage = usage
        self.costUSD = costUSD
    }
}

/// Tokens by the four rates at which they are charged. Each count is limited to 0...`maximum`, so that no sender can
/// make a sum overflow.
public struct TokenUsage: Sendable, Equatable {
    public static let maximum: Int64 = 1 << 48

    public private(set) var input: Int64
    public private(set) var output: Int64
    public private(set) var cacheRead: Int64
    public private(set) var cacheCreation: Int64

    public init(input: Int64 = 0, output: Int64 = 0, cacheRead: Int64 = 0, cacheCreation: Int64 = 0) {
        self.input = TokenUsage.bounded(input)
        self.output = TokenUsage.bounded(output)
        self.cacheRead = TokenUsage.bounded(cacheRead)
        self.cacheCreation = TokenUsage.bounded(cacheCreation)
    }

    public var total: Int64 { input + output + cacheRead + cacheCreation }

    public static func + (left: TokenUsage, right: TokenUsage) -> TokenUsage {
        TokenUsage(
            input: left.input + right.input,
            output: left.output + right.output,
            cacheRead: left.cacheRead + right.cacheRead,
            cacheCreation: left.cacheCreation + right.cacheCreation
        )
    }

    private static func bounded(_ count: Int64) -> Int64 { min(max(count, 0), maximum) }
}

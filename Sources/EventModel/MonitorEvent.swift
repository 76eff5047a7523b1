/// One event as the monitor understands it, before it has a place in the log.
public struct MonitorEvent: Sendable, Equatable {
    public var id: EventID
    public var type: EventType
    /// `nil` where the sender named none and none can be told from the type.
    public var hookEventName: HookEventName?
    /// When it happened, by the sender's clock.
    public var timestamp: Timestamp
    /// When the server got it, by the server's clock.
    public var receivedAt: Timestamp
    /// The machine whose key posted the event.
    public var machine: MachineID
    /// The name that the machine's key was made for.
    public var machineName: String
    /// What the machine calls itself, if it does: shown, never trusted.
    public var reportedMachineName: String?
    /// `nil` for events outside any session.
    public var sessionID: String?
    /// Where the project is, if the sender or the payload says so; `cwd` follows `cd`, so it is only the second choice.
    public var projectPath: String?
    public var toolName: String?
    /// One line for people, at most 200 characters.
    public var summary: String
    /// The hook's JSON object as it is stored: valid UTF-8 without `\u0000`, masked and cut by the content policy.
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

extension Array<MonitorEvent> {
    /// The length of all payloads together.
    public var payloadBytes: Int { indices.reduce(0) { $0 + self[$1].payload.count } }
}

/// A machine's row in the database. Machines come into being with their first key.
public struct MachineID: Sendable, Hashable {
    public var rawValue: Int64

    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

/// What a session's state is derived from, taken out of the hook's JSON before it is masked and cut.
public struct SessionFacts: Sendable, Equatable {
    public var toolUseID: String?
    /// Tells two calls of one tool apart where no `tool_use_id` is sent (PermissionRequest): a hash of the tool's
    /// input.
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
    /// Opens with `<task-notification>` or the like: not typed by a person.
    public var promptIsInjected: Bool
    public var usage: TokenUsage?
    public var costUSD: Double?
    /// The risk of the tool call that a prompt asks about.
    public var risk: ToolRisk?
    /// A hash of the error of a failed tool call; `nil` for other events.
    public var errorHash: UInt64?
    /// What telemetry or a transcript says; `nil` for hooks.
    public var report: SessionReport?
    /// The sender's number; `nil` if it does not number its events.
    public var stream: StreamNumber?

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

/// Tokens by the four rates they are charged at. Each count is kept from 0 to `maximum`, so that no sender can make a
/// sum overflow.
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

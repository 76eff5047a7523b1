public import EventModel

/// A session in the form shown to clients.
public struct Session: Sendable, Equatable {
    /// The session's activity according to its last events.
    public enum State: String, Sendable, CaseIterable {
        case running
        case waiting
        case idle
        case error
        /// The machine is away.
        case unknown
    }

    /// The evidence that gave the state.
    public enum StateSource: String, Sendable, CaseIterable {
        case hooks
        /// The machine's heartbeats: a process is gone, the client reports that it is idle, or the machine no longer
        /// reports.
        case heartbeat
        /// A line of the transcript shows that a person interrupted the turn.
        case transcript
        /// Telemetry reports that a person refused a tool call.
        case otel
    }

    /// Whether the session is active, idle or ended.
    public enum Status: String, Sendable, CaseIterable {
        case active
        case idle
        case ended
    }

    /// What the session is waiting for.
    public struct WaitingFor: Sendable, Equatable {
        public var kind: Prompt.Kind
        public var toolName: String?
        /// The prompt's id for clients.
        public var toolUseID: String
        public var since: Timestamp

        init(_ prompt: Prompt) {
            kind = prompt.kind
            toolName = prompt.toolName
            toolUseID = prompt.toolUseID
            since = prompt.openedAt
        }
    }

    /// Agents that work although the main agent's turn is over.
    public struct Background: Sendable, Equatable {
        public var agents: Int
        /// When the main agent's turn ended.
        public var since: Timestamp
    }

    /// Who gave the session its title.
    public enum TitleSource: String, Sendable, CaseIterable {
        /// A person named it.
        case person
        /// Claude Code named it after what was said.
        case client
        /// The first line of the first prompt.
        case prompt
        /// The last part of the directory.
        case directory
    }

    /// A call that an agent repeats, and that fails in the same way each time.
    public struct Loop: Sendable, Equatable {
        public var toolName: String
        /// `nil` for the main agent.
        public var agentID: String?
        /// The number of equal failures in a row. Of a long loop, only the last ones are counted.
        public var count: Int
        /// The time of the first counted failure.
        public var since: Timestamp
    }

    /// Seconds without events after which a session counts as idle.
    public static let quietSeconds = 300.0

    public var id: String
    public var machine: MachineID
    /// The name for which the machine's key was created.
    public var machineName: String
    /// The last name that the machine reported, if any.
    public var reportedMachineName: String?
    public var workspaceID: String?
    public var projectPath: String?
    public var state: State
    public var stateSource = StateSource.hooks
    /// The time since which the state holds, by the machine's clock.
    public var stateSince: Timestamp
    /// The oldest open prompt.
    public var waitingFor: WaitingFor?
    /// `nil` while the main agent works.
    public var background: Background?
    /// All open prompts, including those of a session that is only idle.
    public var prompts: [Prompt]
    public var loop: Loop?
    public var startedAt: Timestamp
    public var lastActivityAt: Timestamp
    public var endedAt: Timestamp?
    public var endReason: String?
    public var messageCount: Int64
    public var toolCallCount: Int64
    public var tokenUsage: TokenUsage
    public var totalCost: Double?
    /// The source of the figures. `none` means that they come from hooks and are not checked.
    public var usageSource = SessionUsage.Source.none
    public var usageConfidence = SessionUsage.Confidence.none
    public var usageDifference: Double?
    /// The part of the cost without a price; `nil` if there is none.
    public var unpriced: UnpricedUsage?
    /// Whether events of the session are missing.
    public var completeness = Completeness.unknown
    public var gitBranch: String?
    public var currentModel: String?
    public var permissionMode: String?
    /// Whether a message can be sent to the session. `nil` if its machine has never reported this.
    public var acceptsMessages: Bool?
    public var title: String?
    public var titleSource: TitleSource?
    /// The log position of the newest folded event.
    public var lastSeq: Int64

    /// A waiting session sends no events. After this number of seconds it no longer counts as running.
    public static let longestWaitSeconds = 86_400.0

    /// Whether the session belongs in a list of current work: it is active or waits for a person.
    public func isRunning(now: Timestamp) -> Bool {
        switch status(now: now) {
        case .active: true
        case .idle: state == .waiting && now.seconds(since: lastActivityAt) < Session.longestWaitSeconds
        case .ended: false
        }
    }

    /// The prompts that wait for a person's permission.
    public var pendingPermissions: [Prompt] { prompts.filter { $0.kind == .permission && $0.isWaitedFor } }

    /// `now` is on the server's clock.
    public func status(now: Timestamp) -> Status {
        if endedAt != nil { return .ended }
        return now.seconds(since: lastActivityAt) >= Session.quietSeconds ? .idle : .active
    }
}

extension Session {
    /// Replaces the figures from hooks. Does nothing if no other source has figures.
    public mutating func set(_ usage: SessionUsage) {
        guard usage.source != .none else { return }
        tokenUsage = usage.tokens
        totalCost = usage.cost
        usageSource = usage.source
        usageConfidence = usage.confidence
        usageDifference = usage.difference
        unpriced = usage.unpriced
    }

    /// Records that the machine, which should report the session, is silent. The prompts of the session are kept.
    ///
    /// - Parameter time: when the machine was last heard from.
    public mutating func machineIsAway(since time: Timestamp) {
        guard endedAt == nil else { return }
        state = .unknown
        stateSource = .heartbeat
        stateSince = time
    }
}

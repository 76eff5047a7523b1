package import EventModel

/// A session in the form shown to clients.
package struct Session: Sendable, Equatable {
    /// The session's activity according to its last events.
    package enum State: String, Sendable, CaseIterable {
        case running
        case waiting
        case idle
        case error
        /// The machine is away.
        case unknown
    }

    /// The evidence that gave the state.
    package enum StateSource: String, Sendable, CaseIterable {
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
    package enum Status: String, Sendable, CaseIterable {
        case active
        case idle
        case ended
    }

    /// What the session is waiting for.
    package struct WaitingFor: Sendable, Equatable {
        package var kind: Prompt.Kind
        package var toolName: String?
        /// The prompt's id for clients.
        package var toolUseID: String
        package var since: Timestamp

        init(_ prompt: Prompt) {
            kind = prompt.kind
            toolName = prompt.toolName
            toolUseID = prompt.toolUseID
            since = prompt.openedAt
        }
    }

    /// What runs the session's Claude Code.
    package enum Runner: String, Sendable, CaseIterable {
        /// The machine's agent, so that devices can drive the session.
        case agent
        /// A terminal that the machine's agent holds, so that devices can type there.
        case terminal
        /// A terminal of the machine, or another program.
        case unknown
    }

    /// Agents that work although the main agent's turn is over.
    package struct Background: Sendable, Equatable {
        package var agents: Int
        /// When the main agent's turn ended.
        package var since: Timestamp
    }

    /// Who gave the session its title.
    package enum TitleSource: String, Sendable, CaseIterable {
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
    package struct Loop: Sendable, Equatable {
        package var toolName: String
        /// `nil` for the main agent.
        package var agentID: String?
        /// The number of equal failures in a row. Of a long loop, only the last ones are counted.
        package var count: Int
        /// The time of the first counted failure.
        package var since: Timestamp
    }

    /// Seconds without events after which a session counts as idle.
    package static let quietSeconds = 300.0

    package var id: String
    package var kind = Kind.session
    package var machine: MachineID
    /// The name for which the machine's key was created.
    package var machineName: String
    /// The last name that the machine reported, if any.
    package var reportedMachineName: String?
    package var workspaceID: String?
    package var projectPath: String?
    package var state: State
    package var stateSource = StateSource.hooks
    /// The time since which the state holds, by the machine's clock.
    package var stateSince: Timestamp
    /// The oldest open prompt.
    package var waitingFor: WaitingFor?
    /// `nil` while the main agent works.
    package var background: Background?
    /// All open prompts, including those of a session that is only idle.
    package var prompts: [Prompt]
    package var loop: Loop?
    package var startedAt: Timestamp
    package var lastActivityAt: Timestamp
    package var endedAt: Timestamp?
    package var endReason: String?
    package var messageCount: Int64
    package var toolCallCount: Int64
    package var tokenUsage: TokenUsage
    package var totalCost: Double?
    /// The source of the figures. `none` means that they come from hooks and are not checked.
    package var usageSource = SessionUsage.Source.none
    package var usageConfidence = SessionUsage.Confidence.none
    package var usageDifference: Double?
    /// The part of the cost without a price; `nil` if there is none.
    package var unpriced: UnpricedUsage?
    /// Whether events of the session are missing.
    package var completeness = Completeness.unknown
    package var gitBranch: String?
    package var currentModel: String?
    package var permissionMode: String?
    package var runner = Runner.unknown
    /// The session that this one goes on after `/clear`.
    package var continues: String?
    /// The session that goes on in its place.
    package var continuedBy: String?
    /// Its process has ended to save memory, and starts again with the next message.
    package var isParked = false
    /// Whether a message can be sent to the session. `nil` if its machine has never reported this.
    package var acceptsMessages: Bool?
    package var title: String?
    package var titleSource: TitleSource?
    package var isPinned = false
    /// Lists omit the session unless they are asked for the archive.
    package var isArchived = false
    /// The log position of the newest folded event.
    package var lastSeq: Int64

    /// A waiting session sends no events. After this number of seconds it no longer counts as running.
    package static let longestWaitSeconds = 86_400.0

    /// Whether the session belongs in a list of current work: it is active or waits for a person.
    package func isRunning(now: Timestamp) -> Bool {
        switch status(now: now) {
        case .active: true
        case .idle: state == .waiting && now.seconds(since: lastActivityAt) < Session.longestWaitSeconds
        case .ended: false
        }
    }

    /// The prompts that wait for a person's permission.
    package var pendingPermissions: [Prompt] { prompts.filter { $0.kind == .permission && $0.isWaitedFor } }

    /// `now` is on the server's clock.
    package func status(now: Timestamp) -> Status {
        if endedAt != nil { return .ended }
        return now.seconds(since: lastActivityAt) >= Session.quietSeconds ? .idle : .active
    }
}

extension Session {
    /// Replaces the figures from hooks. Does nothing if no other source has figures.
    package mutating func set(_ usage: SessionUsage) {
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
    package mutating func machineIsAway(since time: Timestamp) {
        guard endedAt == nil else { return }
        state = .unknown
        stateSource = .heartbeat
        stateSince = time
    }
}

public import EventModel

/// A session as it is shown.
public struct Session: Sendable, Equatable {
    /// What the session does, by its last events.
    public enum State: String, Sendable, CaseIterable {
        case running
        case waiting
        case idle
        case error
    }

    /// Whether anybody is there.
    public enum Status: String, Sendable, CaseIterable {
        case active
        case idle
        case ended
    }

    /// What the session wants from a person.
    public struct WaitingFor: Sendable, Equatable {
        public var kind: Prompt.Kind
        public var toolName: String?
        /// The prompt's.
        public var toolUseID: String
        public var since: Timestamp

        init(_ prompt: Prompt) {
            kind = prompt.kind
            toolName = prompt.toolName
            toolUseID = prompt.toolUseID
            since = prompt.openedAt
        }
    }

    /// Quiet for longer than this, a session counts as idle.
    public static let quietSeconds = 300.0

    public var id: String
    public var machine: MachineID
    /// The name that the machine's key was made for.
    public var machineName: String
    /// What the machine last called itself, if it does.
    public var reportedMachineName: String?
    public var workspaceID: String?
    public var projectPath: String?
    public var state: State
    /// The open prompt that has waited longest.
    public var waitingFor: WaitingFor?
    /// All open prompts, also of a session that is merely idle.
    public var prompts: [Prompt]
    public var startedAt: Timestamp
    public var lastActivityAt: Timestamp
    public var endedAt: Timestamp?
    public var endReason: String?
    public var messageCount: Int64
    public var toolCallCount: Int64
    public var tokenUsage: TokenUsage
    public var totalCost: Double?
    public var currentModel: String?
    public var permissionMode: String?
    public var title: String?
    /// The place in the log of the newest event that was folded in.
    public var lastSeq: Int64

    /// Who waits for an answer sends nothing, and is given up after so many seconds.
    public static let longestWaitSeconds = 86_400.0

    /// Whether somebody who looks for work at hand wants to see it: it is active, or waits for a person.
    public func isRunning(now: Timestamp) -> Bool {
        switch status(now: now) {
        case .active: true
        case .idle: state == .waiting && now.seconds(since: lastActivityAt) < Session.longestWaitSeconds
        case .ended: false
        }
    }

    /// The prompts that wait for a person's permission.
    public var pendingPermissions: [Prompt] { prompts.filter { $0.kind == .permission && $0.isWaitedFor } }

    /// `now` by the server's clock.
    public func status(now: Timestamp) -> Status {
        if endedAt != nil { return .ended }
        return now.seconds(since: lastActivityAt) >= Session.quietSeconds ? .idle : .active
    }
}

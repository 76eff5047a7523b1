internal import EventModel

/// A tool call, told apart from others by its agent, tool and input: a permission request has no id.
struct CallKey: Sendable, Hashable {
    /// `nil` for the main agent.
    var agentID: String?
    var toolName: String?
    var inputHash: UInt64?
}

/// What was seen of a tool call.
struct SeenCall: Sendable, Equatable {
    var key: CallKey
    var toolUseID: String?
    var startedAt: Timestamp?
    var endedAt: Timestamp?
    /// A prompt was told for it.
    var wasAsked = false

    var isOver: Bool { endedAt.map { $0 >= startedAt ?? .distantPast } ?? false }
}

/// The latest boundary between turns or batches of tools of an agent; the main agent's id is empty.
struct AgentMark: Sendable, Equatable {
    var agentID: String
    var at: Timestamp
    /// A prompt or a session's start: what happens at the same time is after it. The others are ends.
    var isBeginning = false

    /// What happened at `time` belongs to what was before.
    func isAfter(_ time: Timestamp) -> Bool { isBeginning ? time < at : time <= at }
}

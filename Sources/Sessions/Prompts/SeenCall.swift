internal import EventModel

/// Identifies a tool call by agent, tool and input, because a permission request has no id.
struct CallKey: Sendable, Hashable {
    /// `nil` for the main agent.
    var agentID: String?
    var toolName: String?
    var inputHash: UInt64?
}

/// The known facts about a tool call.
struct SeenCall: Sendable, Equatable {
    var key: CallKey
    var toolUseID: String?
    var startedAt: Timestamp?
    var endedAt: Timestamp?
    /// A prompt was opened for it.
    var wasAsked = false

    var isOver: Bool { endedAt.map { $0 >= startedAt ?? .distantPast } ?? false }
}

/// The last boundary between turns or tool batches of an agent. The main agent's id is empty.
struct AgentMark: Sendable, Equatable {
    var agentID: String
    var at: Timestamp
    /// Whether the boundary is a prompt or the start of a session. Events at the same time are after it. Other
    /// boundaries are ends.
    var isBeginning = false

    /// Whether an event at `time` is before the boundary.
    func isAfter(_ time: Timestamp) -> Bool { isBeginning ? time < at : time <= at }
}

internal import EventModel

/// Something that a session waits for a person with.
struct OpenPrompt: Sendable, Equatable {
    enum Source: String, Sendable {
        /// A tool call that asks for leave, or that is itself a question.
        case call
        /// A notification of a permission dialog without the request itself.
        case dialog
        case elicitation
        /// A notification that an agent needs input.
        case input
        /// The turn is over and nobody has typed for a while.
        case idle
    }

    var key: String
    var source: Source
    var kind: NoticeKind
    var call: CallKey
    var toolUseID: String?
    /// Of an elicitation.
    var name: String?
    /// By the session's own time.
    var openedAt: Timestamp
}

/// A tool call, told apart from others by its agent, tool and input: a permission request has no id.
struct CallKey: Sendable, Hashable {
    /// The main agent: `nil`.
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

/// When the latest turn or batch of tools of an agent ended; the main agent's id is empty.
struct AgentMark: Sendable, Equatable {
    var agentID: String
    var at: Timestamp
}

extension HookReading {
    var call: CallKey { CallKey(agentID: agentID, toolName: toolName, inputHash: inputHash) }

    /// Tools that are a question themselves.
    var isQuestionTool: Bool { toolName == "AskUserQuestion" || toolName == "ExitPlanMode" }

    var endsToolCall: Bool {
        switch name {
        case .postToolUse, .postToolUseFailure, .permissionDenied: true
        default: false
        }
    }
}

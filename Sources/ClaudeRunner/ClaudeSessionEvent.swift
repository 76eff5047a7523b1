package import JSON

/// What a session does.
package enum ClaudeState: String, Sendable {
    /// Until the client has answered `initialize`.
    case starting
    case idle
    /// A turn runs, or messages wait for theirs.
    case running
    /// At least one prompt is open.
    case waiting
    case ended
}

/// What became of a message.
package enum MessageProgress: String, Sendable {
    case started
    case finished
    /// Taken back before its turn, or its turn was interrupted.
    case cancelled
}

/// A question of the client that waits for an answer: the request `can_use_tool` or `elicitation`.
package struct OpenPrompt: Sendable, Equatable {
    /// The client's `request_id`.
    package var id: String
    package var toolUseID: String?
    /// The subagent that asks.
    package var agentID: String?
    /// Empty for an elicitation.
    package var toolName: String
    /// The request as the client sent it.
    package var request: JSONValue

    package var isElicitation: Bool { request["subtype"]?.string == "elicitation" }
    /// The client asks because it was asked to call a tool, and not because the model calls one.
    package var isOfRequestedCall: Bool { !isElicitation && ToolRequests.isOfCall(toolUseID) }

    package init(id: String, toolUseID: String?, agentID: String?, toolName: String, request: JSONValue) {
        self.id = id
        self.toolUseID = toolUseID
        self.agentID = agentID
        self.toolName = toolName
        self.request = request
    }
}

/// The answer to a prompt. The caller checks whether the person may give it.
package enum PromptReply: Sendable, Equatable {
    /// `updatedInput` replaces the whole input; nil leaves it as it is. `permissions` are the suggestions to accept.
    case allow(updatedInput: JSONValue?, permissions: [JSONValue])
    case deny(message: String, interrupt: Bool)
    /// `action` is `accept`, `decline` or `cancel`.
    case elicitation(action: String, content: JSONValue?)
}

/// How a turn ended: the client's `result`.
package struct TurnEnd: Sendable, Equatable {
    /// `success`, `error_during_execution`, `error_max_turns` and so on.
    package var subtype: String
    package var isError: Bool
    /// `completed`, `aborted_streaming`, `aborted_tools`, `api_error` and so on.
    package var terminalReason: String?
    package var apiErrorStatus: Int64?
    package var usage: JSONValue?
    /// US dollars since the client started, over all its turns.
    package var totalCost: Double?
    /// The messages that the turn answered.
    package var messageIDs: [String]
    /// Whether one of these messages came from this agent. A finished background task starts a turn that nobody sent.
    package var isOurs: Bool
    /// What started a turn that nobody sent, such as `task-notification`.
    package var origin: String?
}

package enum ClaudeSessionEvent: Sendable, Equatable {
    case state(ClaudeState)
    case messages([String], MessageProgress)
    case promptOpened(OpenPrompt)
    /// The prompt is no longer open, and not because of an answer from here.
    case promptWithdrawn(id: String)
    /// Text of a message that is being written: what is new, or with `replaces` all that counts.
    case partial(messageID: String, text: String, replaces: Bool)
    /// The text is final: the transcript has it, or it was taken back.
    case partialClosed(messageID: String)
    /// A part of the answer to a message that somebody follows.
    case answer(messageID: String, AnswerPart)
    case turnEnded(TurnEnd)
    case modeChanged(String)
    case modelChanged(String)
    case directoryChanged(String)
    /// The client goes on under another session id, after `/clear`.
    case continued(as: String)
    /// The last event. Code and signal are both nil if the client is not a child of this process.
    case exited(code: Int32?, signal: Int32?, standardError: [UInt8])
}

/// A session at one moment.
package struct ClaudeSnapshot: Sendable, Equatable {
    /// The id under which the client goes on now; it changes with `/clear`.
    package var sessionID: String
    /// The session that this one goes on after `/clear`.
    package var continues: String?
    package var pid: Int32
    package var directory: String
    package var state: ClaudeState
    package var mode: String
    package var model: String?
    package var isRestricted: Bool
    /// Messages whose turn has not begun, oldest first. A message that is neither here nor reported as started,
    /// finished or cancelled may be sent again.
    package var queue: [String]
    package var prompts: [OpenPrompt]
}

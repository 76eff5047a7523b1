internal import JSON
internal import RPC

/// A session that an agent runs, as the agent reports it.
package struct AgentSession: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable {
        case starting
        case idle
        case running
        case waiting
        case ended
    }

    package let id: String
    package let state: State
    package let pid: Int64?
    package let directory: String
    package let mode: String
    package let model: String?
    /// The ids of the messages that wait for the end of the turn.
    package let queue: [String]
    /// Why the session has ended.
    package let reason: String?
    /// It runs in a terminal, whose hooks report what it asks and take messages.
    package let hasTerminal: Bool
    /// The session that this one goes on after `/clear`.
    package let continues: String?
    /// Its process has ended to save memory.
    package let isParked: Bool

    init(_ params: RPCParams) throws(RPCError) {
        id = try params.required("session_id")
        let word = try params.required("state")
        guard let state = State(rawValue: word) else { throw .invalidParameter("state", "is not a known state") }
        self.state = state
        pid = params.value("pid")?.integer
        directory = params.value("cwd")?.path ?? ""
        mode = params.value("mode")?.word ?? "default"
        model = params.value("model")?.word
        queue = (params.value("queue")?.array ?? []).prefix(1000).compactMap(\.word)
        reason = try params.string("reason", limit: 200)
        hasTerminal = try params.boolean("terminal") ?? false
        continues = try params.string("continues", limit: 36)
        isParked = try params.boolean("parked") ?? false
    }
}

/// A piece of text that Claude Code is writing. It is sent to subscribers and never stored.
package struct AgentPartial: Sendable, Equatable {
    package let sessionID: String
    package let messageID: String
    package let text: String
    /// The text replaces all that was sent for the message before.
    package let replaces: Bool
    /// Nothing more follows for the message.
    package let isDone: Bool

    init(_ params: RPCParams) throws(RPCError) {
        sessionID = try params.required("session_id")
        messageID = try params.required("message_id")
        text = params.value("text")?.string ?? ""
        replaces = try params.boolean("replaces") ?? false
        isDone = try params.boolean("closed") ?? false
    }
}

/// What a terminal shows. It is sent to subscribers and never stored.
package struct AgentScreen: Sendable, Equatable {
    package let sessionID: String
    package let text: String
    /// What was shown before is to be forgotten.
    package let restarts: Bool

    init(_ params: RPCParams) throws(RPCError) {
        sessionID = try params.required("session_id")
        text = params.value("data")?.string ?? ""
        restarts = try params.boolean("restarts") ?? false
    }
}

/// The end of a turn of an agent's session.
package struct AgentTurnEnd: Sendable, Equatable {
    package let sessionID: String
    /// Claude Code's word for the reason, such as `completed` or `aborted_streaming`.
    package let reason: String

    /// Whether somebody ended the turn. Claude Code runs no hook then.
    package var isInterrupted: Bool { reason.hasPrefix("aborted") }

    init(_ params: RPCParams) throws(RPCError) {
        sessionID = try params.required("session_id")
        reason = try params.string("terminal_reason") ?? ""
    }
}

/// What became of a message that the agent has given to its session.
package struct AgentMessageNotice: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable {
        case started
        case finished
        case cancelled
    }

    package let sessionID: String
    package let messageID: String
    package let state: State

    init(_ params: RPCParams) throws(RPCError) {
        sessionID = try params.required("session_id")
        messageID = try params.required("message_id")
        guard let state = State(rawValue: try params.required("state")) else {
            throw .invalidParameter("state", "is not a known state")
        }
        self.state = state
    }
}

/// A piece of the answer to a chat. It goes to the program that asked, and is not stored.
package struct AgentChatText: Sendable, Equatable {
    package let chatID: String
    package let text: String
    /// The model that writes it; `nil` if it is the one that was told before.
    package let model: String?

    init(_ params: RPCParams) throws(RPCError) {
        chatID = try params.required("session_id", limit: 36)
        text = params.value("text")?.string ?? ""
        model = params.value("model")?.word
    }
}

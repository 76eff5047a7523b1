package import EventModel
package import JSON
internal import Persistence
package import Sessions

/// Selects messages of a session's conversation, the oldest first unless `isDescending`.
package struct ConversationQuery: Sendable {
    /// Claude Code's own session id.
    package var sessionID: String
    /// The session id in the log.
    package var loggedID: String
    package var machine: MachineID
    /// Messages of this subagent; `nil` selects those of the main agent.
    package var agentID: String?
    /// Selects only messages after this place, in the order of the query.
    package var after: ConversationPlace?
    package var isDescending = false
    /// The number of messages to skip. This number and the total include messages that only hooks have reported.
    package var offset: Int?
    package var limit: Int
    /// The maximum bytes of stored lines. The page ends before it would exceed them, but contains at least one message.
    package var maxBytes = 8 << 20
    /// The hook events that are listed after the transcript. Empty means none.
    package var hooks: Set<EventType> = []

    package init(of session: Session, limit: Int) {
        sessionID = SessionOwnership.claudeID(session.id, on: session.machine)
        loggedID = session.id
        machine = session.machine
        self.limit = limit
    }
}

/// The position of a message in its conversation.
package struct ConversationPlace: Sendable, Equatable {
    package var at: Timestamp
    /// The number of the message's first line; 0 for a message that only a hook has reported.
    package var line: Int64

    /// A place after every message of a transcript.
    package static let end = ConversationPlace(at: Timestamp(microseconds: 253_402_300_799_000_000), line: Int64.max)

    package init(at: Timestamp, line: Int64) {
        self.at = at
        self.line = line
    }
}

/// One message with all its blocks: several lines of a transcript, or one, or a hook event.
package struct ConversationMessage: Sendable, Equatable {
    package enum Role: String, Sendable, CaseIterable {
        case user
        case assistant
        case system
    }

    package var place: ConversationPlace
    /// The place of the hook event in the log; `nil` for a message of the transcript.
    package var seq: Int64?
    /// The uuid of its first line, or the id of the hook event.
    package var id: String
    package var role: Role
    package var blocks: [MessageBlock]
    package var messageID: String?
    package var requestID: String?
    package var model: String?
    package var usage: TokenUsage?
    package var stopReason: String?
    package var gitBranch: String?
    package var agentID: String?
    /// The subagent that a tool's result comes from.
    package var resultAgentID: String?
    package var turnID: String?
    /// Whether Claude Code wrote the message, not a person.
    package var isMeta = false
    package var isCompaction = false
    package var isSidechain = false
    /// The hook event's tool and its line in lists of events.
    package var toolName: String?
    package var summary: String?

    /// The text of the message without tools and thinking.
    package var text: String { blocks.compactMap(\.writtenText).joined(separator: "\n") }

    /// Returns a copy in which the text of each block is cut.
    /// - Parameter limit: the maximum length of each text, in characters.
    package func cut(to limit: Int) -> ConversationMessage {
        var message = self
        message.blocks = blocks.map { $0.cut(to: limit) }
        return message
    }

    /// - Parameter lines: the lines of one message, in their order; at least one. Returns `nil` if the first is not a
    ///   message.
    package init?(place: ConversationPlace, lines: [JSONValue]) {
        guard let first = lines.first, let kind = first["type"]?.string else { return nil }
        self.place = place
        id = first["uuid"]?.string ?? String(place.line)
        blocks = lines.flatMap { MessageBlock.blocks(ofLine: $0) }
        let message = first["message"]
        messageID = kind == "assistant" ? message?["id"]?.string : nil
        requestID = first["requestId"]?.string
        model = message?["model"]?.string
        stopReason = lines.lazy.compactMap { $0["message"]?["stop_reason"]?.string }.last
        gitBranch = first["gitBranch"]?.string
        agentID = first["agentId"]?.string
        resultAgentID = first["toolUseResult"]?["agentId"]?.string
        turnID = first["promptId"]?.string
        isCompaction = first["isCompactSummary"]?.bool ?? false
        isSidechain = first["isSidechain"]?.bool ?? false
        let typed = blocks.compactMap(\.writtenText)
        let isInjected = kind == "user" && typed.first.map { InjectedPrompt.isInjected($0, source: nil) } ?? false
        isMeta = first["isMeta"]?.bool ?? false || isInjected || isCompaction
        role = kind == "assistant" ? .assistant : isMeta ? .system : .user
        usage = lines.compactMap { TokenUsage(message: $0["message"]?["usage"]) }.max { $0.output < $1.output }
    }
}

extension TokenUsage {
    fileprivate init?(message usage: JSONValue?) {
        guard let usage, usage.isObject else { return nil }
        self.init(
            input: usage["input_tokens"]?.integer ?? 0,
            output: usage["output_tokens"]?.integer ?? 0,
            cacheRead: usage["cache_read_input_tokens"]?.integer ?? 0,
            cacheCreation: usage["cache_creation_input_tokens"]?.integer ?? 0
        )
    }
}

/// A page of a conversation.
package struct ConversationPage: Sendable {
    package var messages: [ConversationMessage]
    package var hasMore: Bool
    /// The number of messages in the conversation, not only in the page. With an offset, messages that only hooks have
    /// reported count too.
    package var total: Int64
    /// Whether `maxBytes` ended the page.
    package var isCut = false

    package init(messages: [ConversationMessage], hasMore: Bool, total: Int64) {
        self.messages = messages
        self.hasMore = hasMore
        self.total = total
    }
}

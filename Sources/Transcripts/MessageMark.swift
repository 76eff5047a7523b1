package import EventModel
internal import JSON

/// Identifies a part of a message that a hook and a transcript both tell: a call or its result by the call's id, a
/// prompt by its turn, an answer by the beginning of its text.
package struct MessageMark: Hashable, Sendable {
    /// Unicode scalars of a text that identify it. The content policy never cuts a text shorter.
    private static let comparedScalars = 90

    private enum Kind: Character {
        case call = "c"
        case result = "r"
        case turn = "t"
        case prompt = "p"
        case answer = "a"
    }

    private let kind: Kind
    private let value: UInt64

    private init(_ kind: Kind, _ text: some StringProtocol) {
        var hash = StableHash()
        for byte in text.utf8 { hash.combine(byte) }
        self.kind = kind
        value = hash.value
    }

    /// - Parameter text: as `description` writes it.
    init?(_ text: String) {
        guard let kind = text.first.flatMap(Kind.init(rawValue:)), let value = UInt64(text.dropFirst(), radix: 16)
        else { return nil }
        self.kind = kind
        self.value = value
    }

    var description: String { "\(kind.rawValue)\(String(value, radix: 16))" }

    /// Answers are told apart by their texts, which turns may repeat.
    package var isAnswer: Bool { kind == .answer }

    /// Returns `nil` for a block that no hook tells, or whose content was not stored.
    package init?(_ block: MessageBlock, of message: ConversationMessage) {
        switch block {
        case .toolUse(let id, _, _) where !id.isEmpty: self.init(.call, id)
        case .toolResult(let id, _, _) where !id.isEmpty: self.init(.result, id)
        case .text(let text):
            let start = text.unicodeScalars.drop { $0.properties.isWhitespace }.prefix(MessageMark.comparedScalars)
            if message.role == .assistant {
                guard !start.isEmpty else { return nil }
                self.init(.answer, String(start))
            } else if message.role == .user, let turn = message.turnID {
                guard !message.isInterruption else { return nil }
                self.init(.turn, turn)
            } else {
                guard !start.isEmpty else { return nil }
                self.init(.prompt, String(start))
            }
        default: return nil
        }
    }
}

extension ConversationMessage {
    /// What Claude Code writes when a person ends the turn at the terminal. No hook tells it.
    package var isInterruption: Bool {
        guard role == .user, case .text(let text)? = blocks.first else { return false }
        return text.hasPrefix("[Request interrupted by user")
    }

    /// The marks of the blocks that have one.
    package var marks: [MessageMark] { blocks.compactMap { MessageMark($0, of: self) } }
}

/// What the event says that tells of a transcript's growth.
package struct TranscriptGrowth: Sendable {
    /// Marks that an event keeps, the newest.
    static let keptMarks = 200
    /// Seconds after which a message is history when it arrives, and is not told as news.
    static let newsSeconds = 86_400.0

    /// As Claude Code names it.
    package var sessionID: String
    /// The marks of the newest messages among the lines, including messages that hooks have told.
    package var marks: Set<MessageMark>
    /// Whether the lines hold messages of the main agent that are told live.
    package var isNews: Bool

    /// Returns `nil` for other events.
    package init?(_ committed: CommittedEvent) {
        let event = committed.event
        guard event.type == .transcript, let payload = try? JSONValue.parse(event.payload),
            let session = event.sessionID
        else { return nil }
        sessionID = payload["session_id"]?.string ?? session
        marks = Set((payload["marks"]?.array ?? []).compactMap { $0.string.flatMap(MessageMark.init(_:)) })
        isNews =
            payload["messages"]?.integer ?? 0 > 0 && event.facts.agentID == nil
            && TranscriptGrowth.isNews(event.timestamp, receivedAt: event.receivedAt)
    }

    static func isNews(_ time: Timestamp, receivedAt: Timestamp) -> Bool {
        receivedAt.seconds(since: time) < newsSeconds
    }
}

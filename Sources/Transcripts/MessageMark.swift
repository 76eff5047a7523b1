internal import EventModel

/// Identifies a part of a message, so that the server recognizes it when both a hook and a transcript report it. A tool
/// call and its result have the call's id, a prompt has its turn's id, and other texts have their beginning.
package struct MessageMark: Hashable, Sendable {
    /// The number of Unicode scalars at the beginning of a text that identify it. A content policy that stores texts
    /// stores at least as many.
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

    /// - Parameter text: text that `description` has written.
    init?(_ text: String) {
        guard let kind = text.first.flatMap(Kind.init(rawValue:)), let value = UInt64(text.dropFirst(), radix: 16)
        else { return nil }
        self.kind = kind
        self.value = value
    }

    var description: String { "\(kind.rawValue)\(String(value, radix: 16))" }

    /// Answers are distinguished by their texts, which turns may repeat.
    package var isAnswer: Bool { kind == .answer }

    /// Returns `nil` for a block that no hook reports, or whose content was not stored.
    package init?(_ block: MessageBlock, of message: ConversationMessage) {
        switch block {
        case .toolUse(let id, _, _) where !id.isEmpty: self.init(.call, id)
        case .toolResult(let id, _, _) where !id.isEmpty: self.init(.result, id)
        case .text(let text):
            let start = MessageMark.start(of: text)
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

    /// A hook reports an answer without the white space around it, a transcript with it.
    private static func start(of text: String) -> String.UnicodeScalarView.SubSequence {
        var start = text.unicodeScalars.drop { $0.properties.isWhitespace }.prefix(comparedScalars)
        while start.last?.properties.isWhitespace == true { start.removeLast() }
        return start
    }
}

extension ConversationMessage {
    /// Whether Claude Code wrote the text because a person ended the turn at the terminal. No hook reports it.
    package var isInterruption: Bool { begins("[Request interrupted by user") }

    /// Whether the person said No or pressed Esc at a tool's dialog, or pressed Esc while a tool ran.
    package var isToolInterruption: Bool { begins("[Request interrupted by user for tool use]") }

    private func begins(_ start: String) -> Bool {
        guard role == .user, case .text(let text)? = blocks.first else { return false }
        return text.hasPrefix(start)
    }

    /// Blocks without a mark are left out.
    package var marks: [MessageMark] { blocks.compactMap { MessageMark($0, of: self) } }
}

/// A part of an answer, as it is written.
package enum ChatPiece: Sendable, Equatable {
    case text(String)
    case thinking(String)
    /// Claude calls one of its own tools.
    case tool(id: String, name: String)
    case toolEnded(id: String, isError: Bool)
    /// A person is asked.
    case prompt(ChatPrompt)

    /// What it counts toward the limit of an answer: the bytes of its texts, and what it takes beside them. An empty
    /// text counts nothing.
    var size: Int {
        switch self {
        case .text(let text), .thinking(let text): text.isEmpty ? 0 : max(text.utf8.count, ChatPiece.leastTextSize)
        case .tool(let id, let name): id.utf8.count + name.utf8.count + ChatPiece.stepSize
        case .toolEnded(let id, _): id.utf8.count + ChatPiece.stepSize
        case .prompt: ChatPiece.promptSize
        }
    }

    private static let leastTextSize = 8
    private static let stepSize = 64
    /// A prompt's facts are short.
    private static let promptSize = 1024
}

extension [ChatPiece] {
    package var text: String {
        reduce(into: "") { text, piece in
            if case .text(let more) = piece { text += more }
        }
    }

    var thinking: String {
        reduce(into: "") { text, piece in
            if case .thinking(let more) = piece { text += more }
        }
    }
}

/// A part of an answer, as it is written.
package enum ChatPiece: Sendable, Equatable {
    case text(String)
    case thinking(String)
    /// Claude calls one of its own tools.
    case tool(id: String, name: String)
    case toolEnded(id: String, isError: Bool)
    /// A person is asked.
    case prompt(ChatPrompt)

    /// The bytes of its texts.
    var size: Int {
        switch self {
        case .text(let text), .thinking(let text): text.utf8.count
        case .tool(let id, let name): id.utf8.count + name.utf8.count
        case .toolEnded(let id, _): id.utf8.count
        case .prompt: ChatPiece.promptSize
        }
    }

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

/// A part of an answer, as it is written.
package enum ChatPiece: Sendable, Equatable {
    case text(String)
    case thinking(String)
    /// Claude calls one of its own tools.
    case tool(id: String, name: String)
    case toolEnded(id: String, isError: Bool)
    /// A person is asked.
    case prompt(ChatPrompt)
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

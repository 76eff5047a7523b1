/// What the main agent of a session says and does while it answers a message.
package enum AnswerPart: Sendable, Equatable {
    /// More of the answer's text. The texts of several blocks have a blank line between them.
    case text(String)
    case thinking(String)
    /// A tool is called.
    case tool(id: String, name: String)
    case toolEnded(id: String, isError: Bool)
    /// The last part.
    case ended(ChatEnd)
}

package import JSON

/// One turn of a plain chat: what is said to a client that was started for it.
package struct ChatStart: Sendable, Equatable {
    /// What was said before the turn.
    package struct Message: Sendable, Equatable {
        package enum Role: String, Sendable { case user, assistant }

        package var role: Role
        /// A text, or an array of content blocks.
        package var content: JSONValue

        package init(_ role: Role, _ content: JSONValue) {
            (self.role, self.content) = (role, content)
        }
    }

    /// A UUID in lower case.
    package var id: String
    package var client: ChatClient
    package var systemPrompt: String?
    package var history: [Message]
    /// A text, or an array of content blocks.
    package var content: JSONValue
    package var functions: [ChatFunction]
    /// The JSON Schema of the answer.
    package var schema: JSONValue?

    package init(
        id: String,
        client: ChatClient,
        systemPrompt: String? = nil,
        history: [Message] = [],
        content: JSONValue,
        functions: [ChatFunction] = [],
        schema: JSONValue? = nil
    ) {
        (self.id, self.client, self.systemPrompt) = (id, client, systemPrompt)
        (self.history, self.content) = (history, content)
        (self.functions, self.schema) = (functions, schema)
        self.client.takesFunctions = !functions.isEmpty
    }

    func check() throws(ClaudeStartError) {
        guard ClaudeStart.isSessionID(id) else { throw .invalid("the id") }
        guard functions.allSatisfy({ ChatFunction.isName($0.name) }) else { throw .invalid("a function") }
        try client.check()
    }
}

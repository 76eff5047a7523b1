internal import JSON

/// Earlier messages, which the client takes into its conversation without an answer.
extension ClaudeConversation {
    /// Gives the client one message. The next one may follow when `isAwaited` is false or the request is resolved.
    mutating func load(_ message: ChatStart.Message, as id: String) -> (actions: [Action], isAwaited: Bool) {
        let isAwaited = message.role == .user
        if isAwaited { loading = id }
        return ([.write(id: id, line: ClientLine.bytes(ChatConversation.frame(message)))], isAwaited)
    }

    /// The client has taken the message, and asked no model.
    mutating func loaded(_ line: JSONValue) -> [Action]? {
        guard let id = loading else { return nil }
        (loading, isInTurn) = (nil, false)
        let isError = line["is_error"]?.bool ?? false
        return [.resolve(request: id, isError ? .failure("the client refused an earlier message") : .success(.null))]
    }
}

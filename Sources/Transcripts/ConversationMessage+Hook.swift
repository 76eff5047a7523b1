package import EventModel
package import JSON

extension ConversationMessage {
    /// The types of hook events that are messages. Each event is exactly one message.
    package static let hookTypes: Set<EventType> = [.prompt, .toolStart, .tool, .toolFailure, EventType(.known(.stop))]
    /// Prompts, and the ends of turns.
    package static let spokenTypes: Set<EventType> = [
        .prompt, EventType(.known(.stop)), EventType(.known(.stopFailure)),
    ]

    /// The message that a hook event adds to the conversation, as far as its stored payload shows: a prompt, a tool
    /// call, a tool's result, or the answer at the end of a turn. The content policy may have cut or removed the text.
    /// Returns `nil` for other events.
    ///
    /// - Parameter payload: the event's payload, if it is parsed already.
    package init?(_ committed: CommittedEvent, payload parsed: JSONValue? = nil) {
        let event = committed.event
        guard ConversationMessage.hookTypes.contains(event.type) || ConversationMessage.spokenTypes.contains(event.type)
        else { return nil }
        let payload = parsed ?? (try? JSONValue.parse(event.payload, maxDepth: 512)) ?? .object([])
        let call = event.facts.toolUseID ?? event.id.description
        place = ConversationPlace(at: event.timestamp, line: 0)
        seq = committed.seq
        id = event.id.description
        agentID = event.facts.agentID
        turnID = payload["prompt_id"]?.string
        toolName = event.toolName
        summary = event.summary
        role = .assistant
        switch event.type {
        case .prompt:
            let prompt = payload["prompt"]?.string
            // The payload may lack the prompt, and the facts of an old event may lack the word.
            isMeta =
                event.facts.promptIsInjected
                || InjectedPrompt.isInjected(prompt ?? "", source: payload["source"]?.string)
            role = isMeta ? .system : .user
            blocks = [.text(prompt ?? event.summary)]
        case .toolStart:
            let input = payload["tool_input"] ?? .object([])
            blocks = [.toolUse(id: call, name: event.toolName ?? "", input: input)]
        case .tool:
            role = .user
            let content = ConversationMessage.text(ofResponse: payload["tool_response"])
            blocks = [.toolResult(id: call, content: content, isError: false)]
        case .toolFailure:
            role = .user
            let content = ConversationMessage.text(ofResponse: payload["error"] ?? payload["tool_response"])
            blocks = [.toolResult(id: call, content: content, isError: true)]
        default:
            let answer = payload["last_assistant_message"]?.string ?? ""
            blocks = answer.isEmpty ? [] : [.text(answer)]
        }
    }

    /// A tool's answer as one text: its output if it prints any, otherwise its JSON.
    private static func text(ofResponse response: JSONValue?) -> String {
        guard let response, response != .null else { return "" }
        if let text = response.string { return text }
        if let output = response["stdout"]?.string {
            let errors = response["stderr"]?.string ?? ""
            return errors.isEmpty ? output : output.isEmpty ? errors : output + "\n" + errors
        }
        if let text = response["content"]?.string { return text }
        var writer = JSONWriter()
        writer.value(response)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

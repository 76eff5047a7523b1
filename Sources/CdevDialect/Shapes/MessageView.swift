import EventModel
import JSON

/// A message as cdev's clients read it.
struct MessageView {
    let event: CommittedEvent
    let message: ClaudeMessage

    /// `nil` for an event that is no message.
    init?(_ event: CommittedEvent) {
        guard let message = ClaudeMessage(event.event, payload: event.event.payloadValue) else { return nil }
        (self.event, self.message) = (event, message)
    }

    static let shape = ObjectShape<MessageView>("RPCMessage") { it in
        it.member("id") { $0.event.seq }
        it.member("session_id") { $0.event.event.sessionID ?? "" }
        it.word("type") { $0.message.role }
        it.member("uuid") { $0.event.event.id.description }
        it.member("timestamp") { $0.event.event.timestamp }
        it.member("git_branch") { _ in "" }
        it.object("message") { it in
            it.word("role") { $0.message.role }
            it.custom("content", JSONSchema.either([JSONSchema.text, JSONSchema.list("ContentBlock")])) {
                $0.writeContent(to: &$1)
            }
        }
        it.member("is_context_compaction") { _ in false }
        it.member("is_meta") { $0.message.isMeta }
    }

    private func writeContent(to writer: inout JSONWriter) {
        if case .text(let text)? = message.blocks.first, message.role == .user {
            writer.string(text)
        } else {
            message.writeBlocks(to: &writer)
        }
    }
}

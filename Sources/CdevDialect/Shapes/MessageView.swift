import EventModel
import JSON
import Transcripts

/// A message as cdev's clients read it.
struct MessageView {
    let message: ConversationMessage
    let sessionID: String
    /// Identifies the message in the list: by its log position if only hooks report the session, otherwise by its place
    /// in the conversation.
    let number: Int64

    static let shape = ObjectShape<MessageView>("RPCMessage") { it in
        it.member("id") { $0.number }
        it.member("session_id") { $0.sessionID }
        it.word("type") { $0.message.cdevRole }
        it.member("uuid") { $0.message.id }
        it.member("timestamp") { $0.message.place.at }
        it.member("git_branch") { $0.message.gitBranch ?? "" }
        it.object("message") { it in
            it.word("role") { $0.message.cdevRole }
            it.custom("content", JSONSchema.either([JSONSchema.text, JSONSchema.list("ContentBlock")])) {
                $0.writeContent(to: &$1)
            }
            it.member("id") { $0.message.messageID }
            it.member("model") { $0.message.model }
            it.member("stop_reason") { $0.message.stopReason }
            it.object("usage", usage) { $0.message.usage }
        }
        it.member("is_context_compaction") { $0.message.isCompaction }
        it.member("is_meta") { $0.message.isMeta }
    }

    /// With the names of the Messages API.
    private static let usage = ObjectShape<TokenUsage>("MessageUsage") { it in
        it.member("input_tokens") { $0.input }
        it.member("output_tokens") { $0.output }
        it.member("cache_read_input_tokens") { $0.cacheRead }
        it.member("cache_creation_input_tokens") { $0.cacheCreation }
    }

    private func writeContent(to writer: inout JSONWriter) {
        if message.blocks.count == 1, case .text(let text)? = message.blocks.first, message.cdevRole == .user {
            writer.string(text)
        } else {
            message.writeCdevBlocks(to: &writer)
        }
    }
}

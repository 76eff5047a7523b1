import EventModel
import JSON
import Transcripts

/// A conversation as cdev's events.
enum TranscriptNotices {
    /// Returns an event for each line, in the order of the transcript. The event of a message follows its last line.
    static func of(_ grown: GrownMessages) -> [DerivedEvent] {
        grown.lines.flatMap { line in
            [log(line.json)] + (line.message.map { [message($0, stopReason: $0.stopReason)] } ?? [])
        }
    }

    static func message(_ message: ConversationMessage, stopReason: String?) -> DerivedEvent {
        DerivedEvent("claude_message") { writer in
            writer.field("type", message.cdevRole.rawValue)
            writer.field("role", message.cdevRole.rawValue)
            writer.field("uuid", message.id)
            writer.field("timestamp", message.place.at.description)
            writer.key("content")
            message.writeCdevBlocks(to: &writer)
            writer.field("model", message.model)
            writer.field("stop_reason", stopReason)
            writer.field("is_context_compaction", message.isCompaction)
            writer.field("is_meta", message.isMeta)
        }
    }

    /// The line as Claude Code prints it with `--output-format stream-json`, as far as it was stored.
    private static func log(_ line: JSONValue) -> DerivedEvent {
        DerivedEvent("claude_log") { writer in
            writer.field("type", line["type"]?.string)
            writer.field("uuid", line["uuid"]?.string)
            writer.field("timestamp", line["timestamp"]?.string)
            if let message = line["message"] { writer.field("message", message) }
        }
    }
}

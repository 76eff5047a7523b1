internal import HTTPModel
internal import JSON

/// Writes the answer to one request: whole, or in pieces.
package struct ChatAnswer: Sendable {
    package var id: String
    /// The second of the Unix epoch.
    package var created: Int64
    /// The model as the machine names it; until it does, as the request names it.
    package var model: String?
    package var includesUsage: Bool
    /// The session in which the chat is recorded, and in which a project chat continues.
    package var session: ChatAnswerSession?
    /// Whether the first piece was written.
    var isOpen = false

    package init(id: String, created: Int64, model: String?, includesUsage: Bool) {
        (self.id, self.created, self.model, self.includesUsage) = (id, created, model, includesUsage)
    }

    // MARK: Whole

    package func whole(_ text: String, _ result: ChatResult, _ pieces: [ChatPiece] = []) -> [UInt8] {
        var writer = JSONWriter(reserving: text.utf8.count + 512)
        writer.beginObject()
        head("chat.completion", result.model ?? model, &writer)
        writer.beginArray("choices")
        writer.beginObject()
        writer.field("index", 0)
        writer.beginObject("message")
        writer.field("role", "assistant")
        writer.textOrNull("content", text.isEmpty && !result.calls.isEmpty ? nil : text)
        if !pieces.thinking.isEmpty { writer.field("reasoning_content", pieces.thinking) }
        writer.null("refusal")
        if !result.calls.isEmpty {
            writer.beginArray("tool_calls")
            for call in result.calls { call.write(to: &writer) }
            writer.endArray()
        }
        writer.endObject()
        writer.null("logprobs")
        writer.field("finish_reason", result.finishReason)
        writer.endObject()
        writer.endArray()
        if let usage = result.usage { usage.write(to: &writer) }
        if session?.isOfProject == true { ChatMonitor(pieces).write(to: &writer) }
        writer.endObject()
        return writer.bytes
    }

    // MARK: In pieces

    /// The first piece, which has the role.
    package var opening: [UInt8] {
        chunk { writer in
            writer.field("role", "assistant")
            writer.field("content", "")
        }
    }

    package func piece(_ text: String) -> [UInt8] { chunk { $0.field("content", text) } }

    private func piece(_ call: ChatFunctionCall, _ index: Int) -> [UInt8] {
        chunk { writer in
            writer.beginArray("tool_calls")
            call.write(at: index, to: &writer)
            writer.endArray()
        }
    }

    /// All that follows the last text.
    package func end(_ outcome: ChatOutcome) -> [UInt8] {
        switch outcome {
        case .finished(let result):
            var bytes: [UInt8] = []
            for (index, call) in result.calls.enumerated() { bytes += piece(call, index) }
            bytes += chunk(finish: result.finishReason) { _ in }
            if includesUsage, let usage = result.usage {
                bytes += event { writer in
                    head("chat.completion.chunk", model, &writer)
                    writer.beginArray("choices")
                    writer.endArray()
                    usage.write(to: &writer)
                }
            }
            return bytes + ChatAnswer.done
        // A client takes a stream that just ends for a whole one.
        case .failed(let error):
            let object = event { writer in
                writer.beginObject("error")
                writer.field("message", error.message)
                writer.field("type", error.kind.rawValue)
                writer.field("code", error.code)
                writer.textOrNull("param", error.param)
                writer.endObject()
            }
            // OpenAI's clients raise at the object. Others read until this line.
            return object + ChatAnswer.done
        }
    }

    private static let done = Array("data: [DONE]\n\n".utf8)

    /// Keeps the connection from looking dead.
    package static let heartbeat = Array(": heartbeat\n\n".utf8)

    func head(_ object: String, _ model: String?, _ writer: inout JSONWriter) {
        writer.field("id", id)
        writer.field("object", object)
        writer.field("created", created)
        writer.field("model", model ?? "claude")
        session?.write(to: &writer)
    }

    func chunk(finish: String? = nil, _ delta: (inout JSONWriter) -> Void) -> [UInt8] {
        event { writer in
            head("chat.completion.chunk", model, &writer)
            writer.beginArray("choices")
            writer.beginObject()
            writer.field("index", 0)
            writer.beginObject("delta")
            delta(&writer)
            writer.endObject()
            writer.textOrNull("finish_reason", finish)
            writer.endObject()
            writer.endArray()
        }
    }

    func event(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(reserving: 256)
        writer.beginObject()
        members(&writer)
        writer.endObject()
        return Array("data: ".utf8) + writer.bytes + Array("\n\n".utf8)
    }
}

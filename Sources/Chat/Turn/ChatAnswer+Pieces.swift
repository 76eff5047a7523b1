internal import JSON

/// Chunks of a stream for all that a turn brings.
extension ChatAnswer {
    /// Texts that follow each other are one chunk.
    package func pieces(_ pieces: [ChatPiece]) -> [UInt8] {
        var bytes: [UInt8] = []
        var text = ""
        for piece in pieces {
            if case .text(let more) = piece {
                text += more
                continue
            }
            if !text.isEmpty { bytes += self.piece(text) }
            text = ""
            bytes += chunk(of: piece)
        }
        return text.isEmpty ? bytes : bytes + self.piece(text)
    }

    private func chunk(of piece: ChatPiece) -> [UInt8] {
        switch piece {
        case .text(let text): self.piece(text)
        case .thinking(let text): chunk { $0.field("reasoning_content", text) }
        case .tool(let id, let name):
            monitor { writer in
                writer.beginObject("tool")
                writer.field("id", id)
                writer.field("name", name)
                writer.field("state", "running")
                writer.endObject()
            }
        case .toolEnded(let id, let isError):
            monitor { writer in
                writer.beginObject("tool")
                writer.field("id", id)
                writer.field("state", isError ? "failed" : "done")
                writer.endObject()
            }
        case .prompt(let prompt):
            monitor { writer in
                writer.key("prompt")
                prompt.write(to: &writer)
            }
        }
    }

    /// A chunk without a choice, which clients of OpenAI skip.
    private func monitor(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        event { writer in
            head("chat.completion.chunk", model, &writer)
            writer.beginArray("choices")
            writer.endArray()
            writer.beginObject("monitor")
            members(&writer)
            writer.endObject()
        }
    }
}

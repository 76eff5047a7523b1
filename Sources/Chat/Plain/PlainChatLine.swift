internal import JSON
internal import Masking

/// A message of a plain chat as a line of a transcript, so that readers of transcripts can read it. Secrets are masked.
enum PlainChatLine {
    private static let form = StoredForm(policy: .full)
    private static let depth = 220

    /// - Parameters:
    ///   - message: an object with `role` and `content` in Claude's form.
    ///   - id: the id of the line.
    ///   - model: the model that wrote the message.
    static func text(_ message: JSONValue, id: String, model: String? = nil, stopReason: String? = nil) -> String? {
        var members: [(String, JSONValue)] = [
            ("role", message["role"] ?? .null), ("content", withoutPictures(message["content"] ?? .null)),
        ]
        if let model { members.append(("model", .string(model))) }
        if let stopReason { members.append(("stop_reason", .string(stopReason))) }
        var writer = JSONWriter()
        writer.value(
            .object([("type", message["role"] ?? .null), ("uuid", .string(id)), ("message", .object(members))])
        )
        let line = try? JSONParser(maxDepth: depth).withDocument(writer.bytes) { form.payload(of: $0) }
        return line.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The first line of the first message.
    static func title(_ content: JSONValue) -> String? {
        let text = content.string ?? content.array?.lazy.compactMap { $0["text"]?.string }.first ?? ""
        let line = StoredForm.line(text)
        return line.isEmpty ? nil : line
    }

    /// Keeps texts only. A picture is replaced by its size.
    private static func withoutPictures(_ content: JSONValue) -> JSONValue {
        guard let blocks = content.array else { return content }
        return .array(
            blocks.map { block in
                guard block["type"]?.string == "image", let source = block["source"], let data = source["data"]?.string
                else { return block }
                let words = JSONValue.string("\(data.utf8.count / 4 * 3) bytes")
                return .object([
                    ("type", .string("image")),
                    ("source", .object([("media_type", source["media_type"] ?? .null), ("data", words)])),
                ])
            }
        )
    }
}

extension ChatRequest {
    /// What is stored when a turn of the chat begins.
    ///
    /// - Parameters:
    ///   - isNew: whether the chat begins with this request.
    ///   - keepsTexts: whether the content policy lets texts be kept.
    func beginning(of chat: String, turn: String, isNew: Bool, keepsTexts: Bool) -> PlainChatBeginning {
        let asked = ChatRequest.message("user", content)
        var beginning = PlainChatBeginning(id: chat, messageCount: Int64(history.count) + 1)
        guard keepsTexts else { return beginning }
        let messages = isNew ? history + [asked] : [asked]
        beginning.title = PlainChatLine.title((messages.first ?? asked)["content"] ?? .null)
        beginning.lines = messages.enumerated().compactMap { PlainChatLine.text($1, id: "\(turn)-\($0)") }
        return beginning
    }

    /// What is stored when the model has answered.
    func ending(_ text: String, _ result: ChatResult, turn: String, keepsTexts: Bool) -> PlainChatEnding {
        let answer = ChatHistory.answer(text, result.calls)
        var ending = PlainChatEnding()
        ending.history = ChatRequest.digest(
            ofHistory: history + [ChatRequest.message("user", content)] + [answer].compactMap(\.self)
        )
        if keepsTexts, let answer {
            ending.line = PlainChatLine.text(
                answer,
                id: turn,
                model: result.model,
                stopReason: result.finishReason
            )
        }
        return ending
    }
}

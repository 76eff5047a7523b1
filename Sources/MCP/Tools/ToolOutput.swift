internal import HTTPModel
internal import JSON

/// What a call of a tool gives the model.
struct ToolOutput: Sendable, Equatable {
    /// One JSON object; `nil` if there is only a text.
    var json: [UInt8]?
    var text: String
    private(set) var isError = false
    /// What a machine's tool has answered, as it is: a list of blocks, instead of the text.
    private(set) var content: JSONValue?
    private(set) var structured: JSONValue?

    /// Larger answers fill a model's context, and are kept from it by clients.
    private static let maximumBytes = 1 << 20

    /// - Parameter json: one object.
    init(_ json: [UInt8]) {
        guard json.count <= ToolOutput.maximumBytes else {
            self = ToolOutput(
                failure: "answer_too_large: The answer has \(json.count) bytes. Ask for less: a smaller 'limit', "
                    + "a shorter time or one session."
            )
            return
        }
        (self.json, text) = (json, String(decoding: json, as: UTF8.self))
    }

    init(failure: String) {
        (json, text, isError) = (nil, PlainText.line(failure, atMost: 1000), true)
    }

    /// A text alone.
    init(text: String) {
        (json, self.text) = (nil, text)
    }

    /// - Parameter result: an object with `content`, `structuredContent` and `isError`.
    init(result: JSONValue) {
        (json, text) = (nil, "")
        let blocks = result["content"] ?? .null
        content = blocks.array == nil ? .array([]) : blocks
        structured = result["structuredContent"].flatMap { $0 == .null ? nil : $0 }
        isError = result["isError"]?.bool ?? false
    }

    init(_ error: APIError) {
        self.init(failure: "\(error.code): \(error.message)")
    }
}

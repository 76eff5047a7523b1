internal import EventModel
internal import JSON
internal import Masking
internal import Signing

/// A line as it is stored.
struct StoredLine: Equatable {
    /// The line's uuid, or a hash of its text, so that the same line is stored once.
    var key: String
    var offset: Int64
    var at: Timestamp
    var type: String
    var agentID: String?
    /// The id of the model's answer. The line holds one block of it.
    var messageID: String?
    var isMessage: Bool
    /// JSON, under the content policy.
    var text: [UInt8]
    /// The text that search finds.
    var words: String?
    /// The kind of the message; `nil` if the line is not a message.
    var kind: MessageKind?
    /// What the line adds to the session's counts.
    var count = LineCounter.Count()
}

/// The kind of a message, determined by its first block.
package enum MessageKind: String, Sendable, CaseIterable {
    case prompt
    case answer
    case thinking
    case toolInput = "tool_input"
    case toolOutput = "tool_output"
    case image

    init?(_ blocks: [MessageBlock], isAssistant: Bool) {
        switch blocks.first {
        case .text: self = isAssistant ? .answer : .prompt
        case .thinking: self = .thinking
        case .toolUse: self = .toolInput
        case .toolResult: self = .toolOutput
        case .image: self = .image
        case nil: return nil
        }
    }
}

/// Writes lines in their stored form. Reuses its buffers: create one per piece.
struct LineWriter {
    /// Characters kept of a string, and bytes of a line, under the policy `summary`.
    static let stringLimits = [16_000, 4000, 1000, 200]
    static let maxBytes = 96 << 10
    /// Bytes of a line that can be searched.
    private static let searchedBytes = 32 << 10

    let policy: ContentPolicy
    private let form: StoredForm

    init(policy: ContentPolicy) {
        self.policy = policy
        form = StoredForm(policy: policy, stringLimits: LineWriter.stringLimits, maxBytes: LineWriter.maxBytes)
    }

    func text(of line: JSONElement) -> [UInt8] {
        guard policy == .none else { return form.payload(of: line) }
        var writer = JSONWriter(reserving: 1024)
        LineSkeleton.write(line, to: &writer)
        return writer.bytes
    }

    /// Returns the outline of a line that is too long or is not JSON.
    func outline(of line: LineSplitter.Line, type: String?) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("type", type ?? "unknown")
        writer.field("omitted_bytes", line.size)
        writer.endObject()
        return writer.bytes
    }

    /// The text of a stored message that searches find.
    func words(of blocks: [MessageBlock]) -> String? {
        guard policy != .none else { return nil }
        let words = blocks.map(\.plainText).filter { !$0.isEmpty }.joined(separator: "\n")
        return words.isEmpty ? nil : words.prefixBytes(LineWriter.searchedBytes)
    }
}

extension String {
    /// Returns at most this many bytes, without a broken character.
    func prefixBytes(_ count: Int) -> String {
        guard utf8.count > count else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: count)
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}

/// The structure of a line without any text, for the policy `none`.
enum LineSkeleton {
    private static let names: [StaticString] = [
        "type", "subtype", "uuid", "parentUuid", "logicalParentUuid", "timestamp", "sessionId", "agentId", "version",
        "gitBranch", "requestId", "promptId", "isSidechain", "isMeta", "isCompactSummary", "isApiErrorMessage",
    ]

    static func write(_ line: JSONElement, to writer: inout JSONWriter) {
        writer.beginObject()
        copy(names, of: line, to: &writer)
        if let message = line["message"], message.isObject {
            writer.beginObject("message")
            copy(["id", "role", "model", "stop_reason"], of: message, to: &writer)
            if let usage = message["usage"], usage.isObject {
                writer.beginObject("usage")
                copy(
                    ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"],
                    of: usage,
                    to: &writer
                )
                writer.endObject()
            }
            if let content = message["content"], content.isArray {
                writer.beginArray("content")
                for block in content.elements where block.isObject {
                    writer.beginObject()
                    copy(["type", "id", "name", "tool_use_id", "is_error"], of: block, to: &writer)
                    writer.endObject()
                }
                writer.endArray()
            }
            writer.endObject()
        }
        writer.endObject()
    }

    /// Copies short strings, numbers and flags.
    private static func copy(_ names: [StaticString], of object: JSONElement, to writer: inout JSONWriter) {
        for name in names {
            guard let value = object[name], !value.isObject, !value.isArray else { continue }
            if value.isString {
                guard let text = value.string.flatMap(StoredForm.word) else { continue }
                writer.field("\(name)", text)
            } else {
                writer.key("\(name)")
                value.write(to: &writer)
            }
        }
    }
}

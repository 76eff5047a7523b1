internal import JSON

/// The usage of a message that the model has begun. The client counts a message only when it is whole, but the API
/// charges for the part that it wrote.
struct UnfinishedMessage: Sendable {
    /// UTF-8 bytes of a token, by which the tokens of the part are estimated.
    private static let bytesPerToken: Int64 = 4

    /// From the beginning of the message.
    private let begun: JSONValue
    private var writtenBytes: Int64 = 0

    /// Returns `nil` if the message began without counts.
    init?(_ usage: JSONValue?) {
        guard let usage, usage.isObject else { return nil }
        begun = usage
    }

    /// A piece of text, of thinking or of a tool's input.
    mutating func add(_ delta: JSONValue) {
        for name in ["text", "thinking", "partial_json"] {
            writtenBytes += Int64(delta[name]?.string?.utf8.count ?? 0)
        }
    }

    /// Counts in the API's form.
    var usage: JSONValue {
        let written = (writtenBytes + UnfinishedMessage.bytesPerToken - 1) / UnfinishedMessage.bytesPerToken
        let output = max(begun["output_tokens"]?.integer ?? 0, written)
        guard case .object(let members) = begun else { return begun }
        return .object(members.filter { $0.0 != "output_tokens" } + [("output_tokens", .integer(output))])
    }
}

internal import API
internal import HTTPModel
internal import JSON
internal import Signing

/// A picture on its way to an agent, in parts. Each part is sent when the agent has the one before, so that other
/// messages need not wait for the whole.
struct AgentUpload: Sendable {
    let id: String
    let image: MessageImage

    /// Bytes of Base64 in one part.
    private static let partBytes = 256 << 10

    /// What the ids of a message's pictures begin with: messages of different sessions may have the same id. An agent
    /// takes ids of at most 64 bytes.
    static func name(of message: String, in session: String) -> String {
        Hex.encode(Digest.sha256(Array("\(session) \(message)".utf8)).prefix(16))
    }

    /// How the message names it.
    var reference: JSONValue {
        .object([("upload", .string(id)), ("media_type", .string(image.mediaType))])
    }

    /// The parameters of the calls, in order.
    var parts: [JSONValue] {
        let bytes = Array(image.data.utf8)
        return stride(from: 0, to: bytes.count, by: AgentUpload.partBytes).map { offset in
            let part = bytes[offset..<min(bytes.count, offset + AgentUpload.partBytes)]
            return .object([
                ("upload", .string(id)), ("offset", .integer(Int64(offset))), ("size", .integer(Int64(bytes.count))),
                ("data", .string(String(decoding: part, as: UTF8.self))),
            ])
        }
    }
}

extension AgentService {
    func upload(_ upload: AgentUpload, to link: AgentLink) async throws(APIError) {
        for part in upload.parts { try await link.call("upload/part", part, seconds: AgentService.commandSeconds) }
    }
}

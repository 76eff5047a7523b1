internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// What a client says on the socket of one session: `{"type":"message","data":{"content":...,"model":...}}`.
struct SocketMessage: Sendable {
    /// The body that the same message has over HTTP.
    let body: [UInt8]
    /// The model that the session is to have from now on.
    let model: String?
    /// The client's own word for the frame. The error that answers it repeats it.
    let id: String?

    private static let mostIDBytes = 128

    init(_ frame: [UInt8], isText: Bool) throws(SocketError) {
        guard isText, let json = try? JSONValue.parse(frame, maxDepth: 16), json.isObject else {
            throw SocketError(.invalid("invalid_json", "A frame must be a JSON object, as text."), id: nil)
        }
        id = json["id"]?.string.flatMap { $0.utf8.count <= SocketMessage.mostIDBytes ? $0 : nil }
        do throws(APIError) {
            (body, model) = try SocketMessage.content(json)
        } catch {
            throw SocketError(error, id: id)
        }
    }

    private static func content(_ json: JSONValue) throws(APIError) -> (body: [UInt8], model: String?) {
        guard json["type"]?.string == "message" else {
            throw .invalid("unknown_type", "A frame's 'type' must be 'message'.", param: "type")
        }
        guard case .object(let data)? = json["data"], let text = json["data"]?["content"]?.string, !text.isEmpty else {
            throw .invalid("missing_parameter", "'data' needs a 'content', which is a text.", param: "content")
        }
        var model: String?
        if let value = json["data"]?["model"], value != .null {
            guard let name = value.string, (1...128).contains(name.utf8.count) else {
                throw .invalid("invalid_parameter", "'model' must be the name of a model.", param: "model")
            }
            model = name
        }
        var writer = JSONWriter(reserving: text.utf8.count + 64)
        let others = data.filter { !["content", "model", "text"].contains($0.0) }
        writer.value(.object([("text", .string(text))] + others))
        return (writer.bytes, model)
    }
}

/// Why a frame of a client had no effect.
struct SocketError: Error {
    let error: APIError
    let id: String?

    init(_ error: APIError, id: String?) {
        (self.error, self.id) = (error, id)
    }

    static let full = APIError(
        .rateLimit,
        status: 429,
        code: "too_many_messages",
        message: "\(SocketMessages.most) messages of this socket wait. This one was not sent."
    )

    /// `{"type":"error","data":{...}}`, with the members that the error has over HTTP.
    var frame: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("type", "error")
        writer.textOrNull("id", id)
        writer.beginObject("data")
        writer.field("code", error.code)
        writer.field("message", error.message)
        writer.field("type", error.kind.rawValue)
        writer.textOrNull("param", error.param)
        writer.field("status", error.status)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}

/// The messages of one socket. They are sent one after another, in order. Pure.
struct SocketMessages {
    static let most = 16

    private var waiting: [SocketMessage] = []
    private var isSending = false

    /// Returns the message that is to be sent now, if there is one.
    mutating func add(_ message: SocketMessage) throws(SocketError) -> SocketMessage? {
        guard isSending else {
            isSending = true
            return message
        }
        guard waiting.count < SocketMessages.most else { throw SocketError(SocketError.full, id: message.id) }
        waiting.append(message)
        return nil
    }

    /// The last message has been answered. Returns the next one.
    mutating func next() -> SocketMessage? {
        guard waiting.isEmpty else { return waiting.removeFirst() }
        isSending = false
        return nil
    }
}

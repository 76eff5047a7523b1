/// Whole messages that wait until the library has written the pong that it may owe: see `NetworkLoop.messageEnded`.
struct HeldMessages {
    typealias Message = (bytes: [UInt8], isText: Bool)

    /// Together, each with `overhead`: more than one read of the socket brings in small ones. Between the reads of a
    /// larger one the library writes its pongs.
    static let limit = 64 * 1024
    private static let overhead = 64

    private var messages: [Message] = []
    private var size = 0

    var isEmpty: Bool { messages.isEmpty }

    /// False: no room.
    mutating func hold(_ message: Message) -> Bool {
        guard size + message.bytes.count + Self.overhead <= Self.limit else { return false }
        size += message.bytes.count + Self.overhead
        messages.append(message)
        return true
    }

    /// In order of arrival.
    mutating func takeAll() -> [Message] {
        defer { self = HeldMessages() }
        return messages
    }
}

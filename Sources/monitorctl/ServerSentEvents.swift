/// Parses a `text/event-stream` (WHATWG HTML, 9.2.6) in pieces of any size.
struct ServerSentEvents {
    struct Message: Equatable, Sendable {
        /// `message` if the block does not name one.
        var event: String
        var data: String
        /// The last id that the stream has set, in this block or an earlier one.
        var lastEventID: String?
    }

    /// A line or a block exceeds the limit. The stream is no longer usable.
    struct TooLong: Error, Equatable {}

    /// The id to resume from. Also set by blocks that carry no data.
    private(set) var lastEventID: String?
    /// In milliseconds, if the server has set it.
    private(set) var retry: Int?

    private let limit: Int
    private var line: [UInt8] = []
    private var data: [UInt8] = []
    private var hasData = false
    private var event: [UInt8] = []
    private var pendingID: String?
    private var previousWasCR = false
    private var isFirstLine = true

    /// - Parameter limit: maximum bytes of one block.
    init(limit: Int = 16 << 20) {
        self.limit = limit
    }

    mutating func receive(_ bytes: some Sequence<UInt8>) throws(TooLong) -> [Message] {
        var messages: [Message] = []
        for byte in bytes {
            if let message = try receive(byte) { messages.append(message) }
        }
        return messages
    }

    /// CR, LF and CRLF each end a line.
    private mutating func receive(_ byte: UInt8) throws(TooLong) -> Message? {
        defer { previousWasCR = byte == UInt8(ascii: "\r") }
        switch byte {
        case UInt8(ascii: "\n") where previousWasCR:
            return nil
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
            defer { line.removeAll(keepingCapacity: true) }
            return endLine()
        default:
            guard line.count + data.count < limit else { throw TooLong() }
            line.append(byte)
            return nil
        }
    }

    private mutating func endLine() -> Message? {
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        guard !line.isEmpty else { return endBlock() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "data":
            if hasData { data.append(UInt8(ascii: "\n")) }
            data.append(contentsOf: value)
            hasData = true
        case "event":
            event = Array(value)
        case "id" where !value.contains(0):
            pendingID = String(decoding: value, as: UTF8.self)
        case "retry":
            retry = Int(String(decoding: value, as: UTF8.self)) ?? retry
        default:
            break
        }
        return nil
    }

    private mutating func endBlock() -> Message? {
        defer {
            data.removeAll(keepingCapacity: true)
            event.removeAll(keepingCapacity: true)
            hasData = false
        }
        if let id = pendingID {
            lastEventID = id.isEmpty ? nil : id
            pendingID = nil
        }
        guard hasData else { return nil }
        return Message(
            event: event.isEmpty ? "message" : String(decoding: event, as: UTF8.self),
            data: String(decoding: data, as: UTF8.self),
            lastEventID: lastEventID
        )
    }
}

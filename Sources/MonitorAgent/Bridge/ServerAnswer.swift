/// Reads an answer of the server as curl writes it: the head, then one message or a stream of events.
struct ServerAnswer {
    enum Part: Equatable {
        /// The stream can be resumed with this id.
        case resumable(id: String)
        case message([UInt8])
    }

    private static let headLimit = 64 << 10
    /// Bytes of a message. The results of tools have at most 1 MiB, twice: as a text and as an object.
    private static let messageLimit = 8 << 20

    /// The HTTP status; `nil` until the head has arrived.
    private(set) var status: Int?
    private(set) var isStream = false
    /// Seconds.
    private(set) var retryAfter: Double?
    /// The body, unless it is a stream.
    private(set) var body: [UInt8] = []
    private(set) var isTooLong = false

    private var rest: [UInt8] = []
    private var eventID: String?
    private var data: [UInt8]?

    mutating func take(_ bytes: [UInt8]) -> [Part] {
        rest += bytes
        while status == nil {
            guard let end = ServerAnswer.endOfHead(rest) else {
                isTooLong = rest.count > ServerAnswer.headLimit
                return []
            }
            readHead(rest[..<end])
            rest.removeFirst(end)
        }
        guard isStream else {
            body += rest
            rest = []
            isTooLong = body.count > ServerAnswer.messageLimit
            return []
        }
        return readEvents()
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        let end = Array("\r\n\r\n".utf8)
        guard bytes.count >= end.count else { return nil }
        return (0...(bytes.count - end.count)).first { bytes[$0..<($0 + end.count)].elementsEqual(end) }
            .map { $0 + end.count }
    }

    private mutating func readHead(_ head: ArraySlice<UInt8>) {
        let lines = String(decoding: head, as: UTF8.self).split(whereSeparator: \.isNewline)
        let code = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        // An interim answer.
        guard code >= 200 else { return }
        status = code
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            switch line[..<colon].lowercased() {
            case "content-type": isStream = value.lowercased().hasPrefix("text/event-stream")
            case "retry-after": retryAfter = Double(value).map { min(max($0, 0), 60) }
            default: break
            }
        }
    }

    // MARK: Events

    private mutating func readEvents() -> [Part] {
        var parts: [Part] = []
        var begin = rest.startIndex
        while let end = rest[begin...].firstIndex(of: UInt8(ascii: "\n")) {
            var line = rest[begin..<end]
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if line.isEmpty { parts += endEvent() } else { take(line: line) }
            begin = end + 1
        }
        rest.removeFirst(begin)
        isTooLong = rest.count + (data?.count ?? 0) > ServerAnswer.messageLimit
        return parts
    }

    private mutating func take(line: ArraySlice<UInt8>) {
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "id": eventID = String(decoding: value, as: UTF8.self)
        case "data":
            if data != nil { data?.append(UInt8(ascii: "\n")) }
            data = data ?? []
            data?.append(contentsOf: value)
        default: break
        }
    }

    private mutating func endEvent() -> [Part] {
        defer { (eventID, data) = (nil, nil) }
        var parts: [Part] = []
        if let eventID, HeaderID.isValid(eventID) { parts.append(.resumable(id: eventID)) }
        if let data, !data.isEmpty { parts.append(.message(data)) }
        return parts
    }
}

/// The id of a stream, which becomes a header.
enum HeaderID {
    static func isValid(_ id: String) -> Bool {
        (1...4096).contains(id.utf8.count) && id.utf8.allSatisfy { $0 > 32 && $0 < 127 }
    }
}

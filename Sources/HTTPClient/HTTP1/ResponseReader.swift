/// Not an HTTP/1.1 response, or a truncated one, or one that two readers may read differently.
struct MalformedResponse: Error, Equatable {}

/// Reads the response to one request, piece by piece, on a connection that closes after it (RFC 9112 section 6.3).
struct ResponseReader {
    enum Part: Equatable {
        case head(ResponseHead)
        /// Not empty.
        case body([UInt8])
        case end
    }

    private enum State {
        case head
        case length(Int)
        case chunkSize
        case chunk(Int)
        case chunkEnd
        case untilEnd
        case done
    }

    private static let maximumHead = 16 << 10
    private static let maximumSizeLine = 1024
    /// Responses such as 103 come before the one that counts.
    private static let mostInterim = 8

    private var state = State.head
    private var unread: [UInt8] = []
    private var interim = 0

    /// - Parameters:
    ///   - bytes: what was received since the last call.
    ///   - isEnd: whether the connection has ended.
    mutating func take(_ bytes: [UInt8], isEnd: Bool) throws(MalformedResponse) -> [Part] {
        unread += bytes
        var parts: [Part] = []
        var rest = unread[...]
        while try step(&rest, &parts, isEnd: isEnd) {}
        unread = Array(rest)
        if isEnd {
            guard case .done = state else { throw MalformedResponse() }
        }
        return parts
    }

    /// Returns false if more bytes are needed, or none.
    private mutating func step(
        _ rest: inout ArraySlice<UInt8>,
        _ parts: inout [Part],
        isEnd: Bool
    ) throws(MalformedResponse) -> Bool {
        switch state {
        case .done:
            rest = []
            return false
        case .head: return try head(&rest, &parts)
        case .length(let count), .chunk(let count):
            let piece = rest.prefix(count)
            guard !piece.isEmpty else { return false }
            parts.append(.body(Array(piece)))
            rest = rest.dropFirst(piece.count)
            advance(by: piece.count, of: count, &parts)
            return true
        case .untilEnd:
            if !rest.isEmpty { parts.append(.body(Array(rest))) }
            rest = []
            if isEnd { finish(&parts) }
            return false
        case .chunkEnd:
            guard rest.count >= 2 else { return false }
            guard rest.starts(with: [13, 10]) else { throw MalformedResponse() }
            rest = rest.dropFirst(2)
            state = .chunkSize
            return true
        case .chunkSize: return try chunkSize(&rest, &parts)
        }
    }

    private mutating func advance(by count: Int, of total: Int, _ parts: inout [Part]) {
        switch state {
        case .length where count == total: finish(&parts)
        case .length: state = .length(total - count)
        case .chunk where count == total: state = .chunkEnd
        default: state = .chunk(total - count)
        }
    }

    private mutating func finish(_ parts: inout [Part]) {
        parts.append(.end)
        state = .done
    }

    private mutating func head(
        _ rest: inout ArraySlice<UInt8>,
        _ parts: inout [Part]
    ) throws(MalformedResponse) -> Bool {
        guard let end = ResponseReader.firstRange(of: [13, 10, 13, 10], in: rest) else {
            if rest.count > ResponseReader.maximumHead { throw MalformedResponse() }
            return false
        }
        guard let head = ResponseHead(rest[..<end.lowerBound]) else { throw MalformedResponse() }
        rest = rest[end.upperBound...]
        if head.status < 200 {
            interim += 1
            // The connection does not change to another protocol.
            guard head.status != 101, interim <= ResponseReader.mostInterim else { throw MalformedResponse() }
            return true
        }
        parts.append(.head(head))
        state = try ResponseReader.body(of: head)
        if case .length(0) = state { finish(&parts) }
        return true
    }

    private static func body(of head: ResponseHead) throws(MalformedResponse) -> State {
        if head.status == 204 || head.status == 304 { return .length(0) }
        let lengths = head.values("content-length")
        let codings = head.values("transfer-encoding").map { $0.lowercased() }
        let contents = head.values("content-encoding").map { $0.lowercased() }
        guard codings.isEmpty || codings == ["chunked"] && lengths.isEmpty, lengths.count <= 1,
            contents.allSatisfy({ $0 == "identity" })
        else { throw MalformedResponse() }
        if !codings.isEmpty { return .chunkSize }
        guard let length = lengths.first else { return .untilEnd }
        guard let count = Int(length), count >= 0 else { throw MalformedResponse() }
        return .length(count)
    }

    /// RFC 9112 section 7.1. Trailers are ignored.
    private mutating func chunkSize(
        _ rest: inout ArraySlice<UInt8>,
        _ parts: inout [Part]
    ) throws(MalformedResponse) -> Bool {
        guard let line = ResponseReader.firstRange(of: [13, 10], in: rest) else {
            if rest.count > ResponseReader.maximumSizeLine { throw MalformedResponse() }
            return false
        }
        let text = String(decoding: rest[..<line.lowerBound].prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
        guard let size = Int(ResponseHead.trimmed(text), radix: 16), (0...Int(Int32.max)).contains(size) else {
            throw MalformedResponse()
        }
        rest = rest[line.upperBound...]
        if size == 0 { finish(&parts) } else { state = .chunk(size) }
        return true
    }

    private static func firstRange(of mark: [UInt8], in bytes: ArraySlice<UInt8>) -> Range<Int>? {
        guard bytes.count >= mark.count else { return nil }
        return (bytes.startIndex...bytes.endIndex - mark.count).lazy
            .first { bytes[$0] == mark[0] && bytes[$0..<$0 + mark.count].elementsEqual(mark) }
            .map { $0..<$0 + mark.count }
    }
}

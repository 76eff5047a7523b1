/// A small document and how long it may be cached.
package struct FetchedDocument: Sendable, Equatable {
    package var body: [UInt8]
    /// Seconds from now, by `Cache-Control` and `Age` (RFC 9111 section 4.2); `nil` if the response does not say.
    package var maxAge: Int?

    package init(body: [UInt8], maxAge: Int?) {
        self.body = body
        self.maxAge = maxAge
    }
}

/// Parses the response to one HTTP/1.1 GET on a connection that closes after it (RFC 9112 section 6.3).
struct DocumentAnswer {
    enum Reading: Equatable {
        case incomplete
        case complete(FetchedDocument)
    }

    private static let maximumHead = 16 << 10
    private static let headEnd = Array("\r\n\r\n".utf8)

    /// - Parameters:
    ///   - bytes: all bytes received so far.
    ///   - isEnd: whether the connection has ended.
    static func read(_ bytes: [UInt8], isEnd: Bool) throws(FetchError) -> Reading {
        guard let end = firstRange(of: headEnd, in: bytes[...]) else {
            if isEnd || bytes.count > maximumHead { throw .malformed }
            return .incomplete
        }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        guard let status = lines.first?.split(separator: " ", maxSplits: 2), status.count >= 2,
            status[0].hasPrefix("HTTP/1."), let code = Int(status[1])
        else { throw .malformed }
        guard code == 200 else { throw .status(code) }
        let fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (parts[0].lowercased(), parts.count == 2 ? trimmed(parts[1]) : "")
        }
        guard let body = try body(bytes[end.upperBound...], fields, isEnd: isEnd) else { return .incomplete }
        return .complete(FetchedDocument(body: body, maxAge: maxAge(fields)))
    }

    /// Returns `nil` if the body is incomplete.
    private static func body(
        _ bytes: ArraySlice<UInt8>,
        _ fields: [(String, String)],
        isEnd: Bool
    ) throws(FetchError) -> [UInt8]? {
        let lengths = fields.filter { $0.0 == "content-length" }.map(\.1)
        let codings = fields.filter { $0.0 == "transfer-encoding" }.map { $0.1.lowercased() }
        guard codings.isEmpty || codings == ["chunked"] && lengths.isEmpty, lengths.count <= 1,
            !fields.contains(where: { $0.0 == "content-encoding" && $0.1.lowercased() != "identity" })
        else { throw .malformed }
        if !codings.isEmpty {
            if let body = try unchunked(bytes) { return body }
        } else if let length = lengths.first {
            guard let count = Int(length), count >= 0 else { throw .malformed }
            if bytes.count >= count { return Array(bytes.prefix(count)) }
        } else if isEnd {
            return Array(bytes)
        }
        if isEnd { throw .malformed }
        return nil
    }

    /// RFC 9112 section 7.1. Ignores trailers.
    private static func unchunked(_ bytes: ArraySlice<UInt8>) throws(FetchError) -> [UInt8]? {
        var rest = bytes
        var body: [UInt8] = []
        while let line = firstRange(of: [13, 10], in: rest) {
            let text = String(decoding: rest[..<line.lowerBound].prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
            guard let size = Int(trimmed(text[...]), radix: 16), (0...DocumentFetch.maximumBytes).contains(size) else {
                throw .malformed
            }
            if size == 0 { return body }
            rest = rest[line.upperBound...]
            guard rest.count >= size + 2 else { return nil }
            body += rest.prefix(size)
            rest = rest.dropFirst(size + 2)
        }
        return nil
    }

    private static func maxAge(_ fields: [(String, String)]) -> Int? {
        let directives = fields.filter { $0.0 == "cache-control" }
            .flatMap { $0.1.lowercased().split(separator: ",").map { trimmed($0) } }
        if directives.contains("no-store") || directives.contains("no-cache") { return 0 }
        guard let text = directives.first(where: { $0.hasPrefix("max-age=") })?.dropFirst("max-age=".count),
            let seconds = Int(text), seconds >= 0
        else { return nil }
        let age = fields.first { $0.0 == "age" }.flatMap { Int($0.1) } ?? 0
        return max(0, seconds - max(0, age))
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0 == " " || $0 == "\t" }
        return String(start.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }

    private static func firstRange(of mark: [UInt8], in bytes: ArraySlice<UInt8>) -> Range<Int>? {
        guard bytes.count >= mark.count else { return nil }
        return (bytes.startIndex...bytes.endIndex - mark.count).lazy
            .first { bytes[$0] == mark[0] && bytes[$0..<$0 + mark.count].elementsEqual(mark) }
            .map { $0..<$0 + mark.count }
    }
}

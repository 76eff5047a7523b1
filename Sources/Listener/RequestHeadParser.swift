internal import HTTPModel

/// Parses a request's head by RFC 9112 sections 2 to 5. Refuses forms that the RFC only tolerates: bare LF, folded
/// lines, a space before a colon, leading empty lines, contradictory headers. A proxy in front and this server
/// therefore read the same message.
struct RequestHeadParser: Sendable {
    static let maximumFields = 100

    let table: HeaderTable

    /// `bytes[range]` must be a complete head: `HeadScanner` has found the CR LF of each line and the empty line at the
    /// end.
    func parse(_ bytes: [UInt8], _ range: Range<Int>) throws(HeadFault) -> RequestHead {
        var position = range.lowerBound
        let requestLine = Self.line(bytes, &position)
        var head = try parse(requestLine: bytes[requestLine])
        var fields = 0
        while position < range.upperBound {
            let line = Self.line(bytes, &position)
            if line.isEmpty { break }
            fields += 1
            guard fields <= Self.maximumFields else { throw .tooManyFields }
            try parse(field: bytes[line], into: &head)
        }
        if let authority = head.target.authority, authority != head[.host]?.lowercased() { throw .badTarget }
        return head
    }

    /// Without its CR LF.
    private static func line(_ bytes: [UInt8], _ position: inout Int) -> Range<Int> {
        let start = position
        while bytes[position] != .lineFeed { position += 1 }
        position += 1
        return start..<(position - 2)
    }

    /// RFC 9112 section 3.
    private func parse(requestLine line: ArraySlice<UInt8>) throws(HeadFault) -> RequestHead {
        guard let first = line.firstIndex(of: 32), let last = line.lastIndex(of: 32), first < last else {
            throw .badRequestLine
        }
        let method = line[..<first]
        guard !method.isEmpty, method.allSatisfy(\.isTokenByte) else { throw .badRequestLine }
        let version = try Self.version(line[(last + 1)...])
        guard let known = HTTPMethod(rawValue: String(decoding: method, as: UTF8.self)) else { throw .unknownMethod }
        return RequestHead(
            method: known,
            target: try RequestTarget(line[(first + 1)..<last]),
            version: version,
            values: Array(repeating: nil, count: table.names.count)
        )
    }

    /// `HTTP/` DIGIT `.` DIGIT.
    private static func version(_ bytes: ArraySlice<UInt8>) throws(HeadFault) -> RequestHead.Version {
        guard bytes.count == 8, bytes.starts(with: "HTTP/".utf8), (48...57).contains(bytes[bytes.startIndex + 5]),
            bytes[bytes.startIndex + 6] == 46, (48...57).contains(bytes[bytes.startIndex + 7])
        else { throw .badRequestLine }
        if bytes.elementsEqual("HTTP/1.1".utf8) { return .http11 }
        if bytes.elementsEqual("HTTP/1.0".utf8) { return .http10 }
        throw .badVersion
    }

    /// RFC 9112 section 5.
    private func parse(field line: ArraySlice<UInt8>, into head: inout RequestHead) throws(HeadFault) {
        if line[line.startIndex].isBlank { throw .foldedField }
        guard let colon = line.firstIndex(where: { !$0.isTokenByte }), line[colon] == UInt8(ascii: ":"),
            colon > line.startIndex
        else { throw .badField }
        var value = line[(colon + 1)...]
        guard value.allSatisfy(\.isFieldValueByte) else { throw .badField }
        guard let entry = table.entry(line[..<colon]) else { return }
        value = value.drop(while: \.isBlank)
        while let last = value.last, last.isBlank { value = value.dropLast() }
        let text = String(decoding: value, as: UTF8.self)
        guard let earlier = head.values[entry.index] else {
            head.values[entry.index] = text
            return
        }
        guard entry.isList else { throw .repeatedField(entry.name) }
        head.values[entry.index] = earlier + ", " + text
    }
}

/// An event, or a line without an end, is larger than the reader takes.
package struct EventTooLarge: Error, Equatable {}

/// Reads server-sent events piece by piece, and returns the data of each. Pure.
/// https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
package struct EventStreamReader {
    /// Bytes of the data of one event, and of the line that is not whole yet.
    private let limit: Int
    private var line: [UInt8] = []
    private var data: [UInt8] = []
    private var hasData = false
    private var isAfterReturn = false
    private var isFirstLine = true

    package init(limit: Int) {
        self.limit = limit
    }

    /// Events without data count for nothing.
    package mutating func take(_ bytes: [UInt8]) throws(EventTooLarge) -> [[UInt8]] {
        var events: [[UInt8]] = []
        var rest = bytes[...]
        if isAfterReturn, let first = rest.first {
            if first == 10 { rest = rest.dropFirst() }
            isAfterReturn = false
        }
        while let end = rest.firstIndex(where: { $0 == 10 || $0 == 13 }) {
            line += rest[..<end]
            let isReturn = rest[end] == 13
            rest = rest[(end + 1)...]
            if isReturn {
                if rest.isEmpty { isAfterReturn = true } else if rest.first == 10 { rest = rest.dropFirst() }
            }
            guard line.count <= limit else { throw EventTooLarge() }
            if let event = try endLine() { events.append(event) }
        }
        line += rest
        guard line.count <= limit else { throw EventTooLarge() }
        return events
    }

    private mutating func endLine() throws(EventTooLarge) -> [UInt8]? {
        defer { line.removeAll(keepingCapacity: true) }
        if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isFirstLine = false
        guard !line.isEmpty else {
            defer { (data, hasData) = ([], false) }
            return data.isEmpty ? nil : data
        }
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        guard name.elementsEqual("data".utf8) else { return nil }
        var value = line.dropFirst(name.count + 1)
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        guard data.count + value.count < limit else { throw EventTooLarge() }
        if hasData { data.append(10) }
        data += value
        hasData = true
        return nil
    }
}

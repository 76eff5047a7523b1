import Testing

@testable import HTTPClient

@Suite("EventStreamReader")
struct EventStreamReaderTests {
    private func events(_ text: String, by size: Int, limit: Int = 100) throws -> [String] {
        var reader = EventStreamReader(limit: limit)
        var (events, rest) = ([[UInt8]](), Array(text.utf8)[...])
        while !rest.isEmpty {
            events += try reader.take(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return events.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("data of events, however their bytes come", arguments: [1, 2, 3, 7, 1000])
    func reads(size: Int) throws {
        let text = "\u{FEFF}: comment\nevent: message\nid: 1\ndata: a\ndata:b\n\nid: 2\ndata: \n\ndata:  c\n\ndata: cut"
        for end in ["\n", "\r\n", "\r"] {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: end)
            #expect(try events(lines, by: size) == ["a\nb", " c"])
        }
    }

    @Test("an event and a line have a limit")
    func bounded() {
        let line = "data: " + String(repeating: "a", count: 60) + "\n"
        #expect(throws: EventTooLarge()) { try events(line + line + "\n", by: 10) }
        #expect(throws: EventTooLarge()) { try events(String(repeating: "a", count: 101), by: 10) }
        #expect(throws: EventTooLarge()) { try events(String(repeating: "a", count: 101) + "\n", by: 1000) }
    }
}

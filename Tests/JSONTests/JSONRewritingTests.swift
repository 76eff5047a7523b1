import Testing

@testable import JSON

private struct Rewriting: JSONRewriting {
    mutating func member(_ name: JSONElement, value: JSONElement, depth: Int) -> JSONMemberDecision {
        if name.equals("drop") { return .drop }
        if name.equals("replace") { return .replace(Array("\"new\"".utf8)) }
        if name.equals("rename") { return .rename(Array("renamed".utf8)) }
        return .keep
    }

    mutating func replacement(for string: JSONElement) -> [UInt8]? {
        string.equals("secret") ? Array("***".utf8) : nil
    }
}

@Suite("JSONRewriting")
struct JSONRewritingTests {
    private func rewrite(_ json: String, limit: Int = .max) throws -> String? {
        try JSONParser().withDocument(Array(json.utf8)) { root in
            var writer = JSONWriter()
            var rewriting = Rewriting()
            let isComplete = root.write(to: &writer, rewriting: &rewriting, limit: limit)
            return isComplete ? String(decoding: writer.bytes, as: UTF8.self) : nil
        }
    }

    @Test(
        "members and strings are kept, dropped, replaced and renamed at any depth",
        arguments: [
            (#"{"drop":{"a":1},"b":[{"drop":2,"c":"secret"}]}"#, #"{"b":[{"c":"***"}]}"#),
            (#"{"replace":[1,2],"a":"secret"}"#, #"{"replace":"\"new\"","a":"***"}"#),
            (#"{"rename":["secret"],"x":1}"#, #"{"renamed":["***"],"x":1}"#),
            (#"{"drop":1}"#, "{}"), (#""secret""#, #""***""#),
        ]
    )
    func decisions(json: String, expected: String) throws {
        #expect(try rewrite(json) == expected)
    }

    @Test("writing stops at the limit")
    func limit() throws {
        let json = "[" + String(repeating: "\"0123456789\",", count: 1000) + "1]"
        #expect(try rewrite(json, limit: 100) == nil)
        #expect(try rewrite(json, limit: json.utf8.count) == json)
    }
}

import JSON
import Testing

@Suite struct JSONSortingTests {
    private func sorted(_ text: String) throws -> String {
        String(decoding: try JSONValue.parse(Array(text.utf8)).sorted().encoded, as: UTF8.self)
    }

    @Test func membersComeInTheOrderOfTheirNamesAndOnce() throws {
        #expect(
            try sorted(#"{"b":1,"a":{"d":2,"c":3},"b":[{"y":1,"x":2}]}"#) == #"{"a":{"c":3,"d":2},"b":[{"x":2,"y":1}]}"#
        )
        #expect(try sorted("{}") == "{}")
        #expect(try sorted(#"{"a":1,"a":2,"a":3}"#) == #"{"a":3}"#)
        #expect(try sorted(#"{"aa":1,"a":2,"B":3}"#) == #"{"B":3,"a":2,"aa":1}"#)
    }

    @Test(
        "names that look alike are different ones",
        arguments: [("\u{E9}", "e\u{301}"), ("K", "\u{212A}"), (";", "\u{37E}")]
    )
    func spellings(one: String, two: String) throws {
        let both = try sorted(#"{"\#(one)":1,"\#(two)":2,"\#(one)":1}"#)
        #expect(try both.utf8.count > sorted(#"{"\#(one)":1}"#).utf8.count)
        #expect(try Array(both.utf8) == Array(sorted(#"{"\#(two)":2,"\#(one)":1}"#).utf8))
        #expect(try Array(sorted(#"{"\#(one)":1}"#).utf8) != Array(sorted(#"{"\#(two)":1}"#).utf8))
    }
}

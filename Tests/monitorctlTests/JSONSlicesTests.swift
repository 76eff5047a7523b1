import Testing

@testable import monitorctl

struct JSONSlicesTests {
    private func slices(_ text: String) -> [String]? {
        JSONSlices.elements(of: "events", in: Array(text.utf8))?.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func elementsKeepTheirBytes() {
        let text = #"{"meta":{"events":[0]},"events":[{"a":1.50,"b":"x,]}\"\\"},{"events":[1,2]}],"next":"events"}"#
        #expect(slices(text) == [#"{"a":1.50,"b":"x,]}\"\\"}"#, #"{"events":[1,2]}"#])
    }

    @Test func prettyPrintedBecomesOneLineEach() {
        #expect(
            slices("{\n  \"events\": [\n    {\n      \"a\": \"b c\"\n    },\n    2\n  ]\n}") == [#"{"a":"b c"}"#, "2"]
        )
    }

    @Test func empty() {
        #expect(slices(#"{"events":[]}"#) == [])
        #expect(slices(#"{"events": [ ]}"#) == [])
    }

    @Test func absent() {
        #expect(slices(#"{"x":"events","y":["events"]}"#) == nil)
        #expect(slices(#"[{"events":[1]}]"#) == nil)
    }
}

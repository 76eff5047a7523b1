import JSON
import Testing

@Suite("The number of values in a text")
struct JSONValueCountTests {
    @Test(
        "separators in strings do not count",
        arguments: [
            ("1", 1), ("[]", 2), ("[1,2]", 3), (#"{"a":[1,{"b":2}]}"#, 5), (#"",[{\",""#, 1), (#"["\\",1]"#, 3),
        ]
    )
    func counts(text: String, most: Int) {
        #expect(JSONValue.counts(atMost: most, in: Array(text.utf8)))
        #expect(most == 1 || !JSONValue.counts(atMost: most - 1, in: Array(text.utf8)))
    }
}

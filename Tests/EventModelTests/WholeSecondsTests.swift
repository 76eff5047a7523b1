import EventModel
import Testing

@Suite struct WholeSecondsTests {
    @Test(
        "a string that is a time loses its fraction",
        arguments: [
            (#"{"a":"2026-01-05T10:00:00.123Z"}"#, #"{"a":"2026-01-05T10:00:00Z"}"#),
            (
                #"["2026-01-05T10:00:00.123Z","2026-01-05T10:00:01.000Z"]"#,
                #"["2026-01-05T10:00:00Z","2026-01-05T10:00:01Z"]"#
            ),
            (#""2026-01-05T10:00:00.123Z""#, #""2026-01-05T10:00:00Z""#),
        ]
    )
    func times(text: String, expected: String) {
        #expect(String(decoding: WholeSeconds.of(Array(text.utf8)), as: UTF8.self) == expected)
    }

    @Test(
        "everything else stays",
        arguments: [
            "", "{}", #"{"a":"2026-01-05T10:00:00Z"}"#, #"{"a":"at 2026-01-05T10:00:00.123Z"}"#,
            #"{"a":"{\"b\":\"2026-01-05T10:00:00.123Z\"}"}"#, #"{"a":"\"2026-01-05T10:00:00.123Z"}"#,
            #"{"a":"2026-01-05T10:00:00.123456Z"}"#, #"{"a":"2026-01-05T10:00:00.12"#,
        ]
    )
    func others(text: String) {
        #expect(String(decoding: WholeSeconds.of(Array(text.utf8)), as: UTF8.self) == text)
    }
}

import Testing

@testable import JSON

@Suite("JSONSanitizer")
struct JSONSanitizerTests {
    @Test(
        "only NUL and unpaired surrogate escapes are replaced",
        arguments: [
            (#""plain""#, #""plain""#),
            (#""\u0000""#, #""\ufffd""#),
            (#""\\u0000""#, #""\\u0000""#),
            (#""\\\u0000""#, #""\\\ufffd""#),
            (#""\ud83d\ude00""#, #""\ud83d\ude00""#),
            (#""\uD83D\uDE00""#, #""\uD83D\uDE00""#),
            (#""\ud83d""#, #""\ufffd""#),
            (#""\ud83d\ud83d\ude00""#, #""\ufffd\ud83d\ude00""#),
            (#""\ude00x""#, #""\ufffdx""#),
            (#""\ude00\ud83d""#, #""\ufffd\ufffd""#),
            (#""\ud83d\u0041""#, #""\ufffd\u0041""#),
            (#""\ud83d\\ude00""#, #""\ufffd\\ude00""#),
            (#""\ud83d\u0000""#, #""\ufffd\ufffd""#),
            (#""\u00zz\u00""#, #""\u00zz\u00""#),
            (#""\ud83"#, #""\ud83"#), ("\\", "\\"), ("", ""),
        ]
    )
    func escapes(input: String, expected: String) {
        #expect(String(decoding: JSONSanitizer.sanitized(Array(input.utf8)), as: UTF8.self) == expected)
    }

    @Test(
        "invalid UTF-8 becomes U+FFFD",
        arguments: [
            ([0x61, 0xFF, 0x62] as [UInt8], "a\u{FFFD}b"), ([0xC0, 0x80], "\u{FFFD}\u{FFFD}"),
            ([0xE2, 0x82], "\u{FFFD}"),
            ([0xF0, 0x9F, 0x98, 0x80], "😀"),
        ]
    )
    func utf8(input: [UInt8], expected: String) {
        #expect(String(decoding: JSONSanitizer.sanitized(input), as: UTF8.self) == expected)
    }
}

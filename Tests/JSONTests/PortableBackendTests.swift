import Testing

@testable import JSON

/// The parser without a library writes the tape that simdjson writes, and refuses what simdjson refuses.
@Suite("The portable parser")
struct PortableBackendTests {
    private static let samples = [
        "{}", "[]", "null", " true ", "false", "\"\"", "0", "-0", "-0.0", "1", "-1", "[1,[2,{\"a\":[]}],{}]",
        "{\"a\":{\"b\":null},\"c\":[false]}", "18446744073709551615", "9223372036854775808", "9223372036854775807",
        "-9223372036854775808", "{\"\":1,\"a\":2,\"a\":3}", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0001é😀\"",
        "\"\\ud83d\\ude00\\u00E9\\uFFFD\\u0000\"", "[0.1,1e5,1E+5,1e-5,1.5e308,5e-324,2.2250738585072011e-308,1e-999]",
        "[0.30000000000000004,123456789.123456789,9007199254740993.0,1e23,8.5e-5]", "\r\n\t[ 1 , 2 ]\n",
        "{ \"a\" : [ { \"b\" : { } } , \"\\\\\\\"\" ] }",
        // What is refused.
        "", " \n", "{", "}", "[", "]", "{}{}", "[1] x", "{\"a\" 1}", "{\"a\":}", "{\"a\":1,}", "[1,]", "[,1]", "[1 2]",
        "{1:2}",
        "{a:1}", "nul", "nulll", "tru e", "[1.]", "[.5]", "[01]", "[-]", "[-01]", "[+1]", "[1e]", "[1e+]", "[1x]",
        "[0x1]",
        "1e999", "-1e999", "18446744073709551616", "-9223372036854775809", "[1}", "{\"a\":1]", "[\"\\x\"]", "\"a\nb\"",
        "\"a", "\"\\", "\"\\u12\"", "\"\\ud83d\"", "\"\\ude00\"", "\"\\ud83d\\u0041\"", "\"\\ud83dx\"", "\"\u{7F}\"",
        "\"\u{1F}\"", "[1,\u{0C}2]", "truefalse", "true\"a\"", "1\"a\"", "\u{FEFF}[]", "[\"a\"\"b\"]",
        "{\"a\":1 \"b\":2}",
        "'a'", "[NaN]", "[Infinity]", "/**/[]", "[1]//", "{\"a\":\"b\",,}", "[[[[[[[[[[1]]]]]]]]]]",
    ]

    /// - Returns: the status, and of a parsed document the words of its tape and its text.
    private func result(_ backend: JSONBackend, _ text: [UInt8]) -> (JSONParseStatus, [UInt64], String) {
        var text = text
        let status = backend.parse(&text)
        let found = backend.withRoot { root -> ([UInt64], String) in
            let count = Int(root.tape[0] & 0x00FF_FFFF_FFFF_FFFF)
            var writer = JSONWriter()
            root.write(to: &writer)
            return ((0..<count).map { root.tape[$0] }, String(decoding: writer.bytes, as: UTF8.self))
        }
        return (status, found?.0 ?? [], found?.1 ?? "")
    }

    private func compare(_ text: [UInt8], _ simdjson: JSONBackend, _ portable: JSONBackend) {
        let (expected, words, written) = result(simdjson, text)
        let (status, ownWords, ownWritten) = result(portable, text)
        let shown = String(decoding: text.prefix(300), as: UTF8.self)
        // A text with several faults may be refused for any of them.
        #expect((status == .parsed) == (expected == .parsed), "\(status), not \(expected): \(shown)")
        #expect(ownWords == words, "\(shown)")
        #expect(ownWritten == written, "\(shown)")
    }

    private func backends(maxDepth: Int) -> (JSONBackend, JSONBackend) {
        (.preferred(maxDepth: maxDepth), .portable(PortableBackend(maxDepth: maxDepth)))
    }

    @Test("samples give the same tape and the same faults", arguments: samples)
    func agreement(sample: String) {
        let (simdjson, portable) = backends(maxDepth: 64)
        compare(Array(sample.utf8), simdjson, portable)
        let faults = (result(simdjson, Array(sample.utf8)).0, result(portable, Array(sample.utf8)).0)
        #expect(faults.0 == faults.1)
    }

    @Test("depth is counted in the same way", arguments: [1, 2, 3, 10])
    func depth(maxDepth: Int) {
        let (simdjson, portable) = backends(maxDepth: maxDepth)
        for levels in 0...12 {
            for (start, end) in [("[", "]"), ("{\"a\":", "}")] {
                for inner in ["1", "[]", "{}"] {
                    let text = String(repeating: start, count: levels) + inner + String(repeating: end, count: levels)
                    compare(Array(text.utf8), simdjson, portable)
                }
            }
        }
    }

    @Test("changed samples are taken or refused alike", arguments: 0..<8)
    func changes(seed: UInt64) {
        var random = Generator(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
        let (simdjson, portable) = backends(maxDepth: 8)
        let pieces = Self.samples.map { Array($0.utf8) }
        for _ in 0..<4000 {
            var text = pieces.randomElement(using: &random) ?? []
            if Bool.random(using: &random) {
                let other = pieces.randomElement(using: &random) ?? []
                text = Array("[".utf8) + text + Array(",".utf8) + other + Array("]".utf8)
            }
            for _ in 0..<Int.random(in: 0...2, using: &random) where !text.isEmpty {
                let place = Int.random(in: 0..<text.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: text[place] = Array("{}[]:,\"\\u0e-. tn\u{7F}\u{1}é".utf8).randomElement(using: &random) ?? 0
                case 1: text.remove(at: place)
                default: text.insert(UInt8.random(in: 0...255, using: &random), at: place)
                }
            }
            compare(text, simdjson, portable)
        }
    }

    @Test("a number is read to the nearest double")
    func doubles() {
        var random = Generator(state: 77)
        let (simdjson, portable) = backends(maxDepth: 8)
        for _ in 0..<3000 {
            let value = Double(bitPattern: random.next())
            guard value.isFinite else { continue }
            compare(Array("[\(value)]".utf8), simdjson, portable)
            let digits = (0..<Int.random(in: 1...25, using: &random)).map { _ in Int.random(in: 0...9, using: &random) }
            let text = "\(digits[0]).\(digits.map(String.init).joined())e\(Int.random(in: -330...300, using: &random))"
            compare(Array(text.utf8), simdjson, portable)
        }
    }

    @Test("a parser with it repairs what the other parser repairs")
    func repairs() throws {
        let parser = JSONParser(maxDepth: 64, .portable(PortableBackend(maxDepth: 64)))
        let bytes: [UInt8] =
            Array("[\"a".utf8) + [0xFF, 0xED, 0xA0, 0x80] + Array("\\u0000\\ud83d\\\\u0000\",1e999]".utf8)
        func shown(_ parser: JSONParser) throws -> String {
            try parser.withDocument(bytes) { root in
                var writer = JSONWriter()
                root.write(to: &writer)
                return String(decoding: writer.bytes, as: UTF8.self)
            }
        }
        #expect(try shown(parser) == shown(JSONParser()))
        #expect(throws: JSONError.malformed) { try parser.withDocument(Array("[".utf8)) { _ in } }
        #expect(throws: JSONError.empty) { try parser.withDocument([]) { _ in } }
    }
}

/// xorshift64.
private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}

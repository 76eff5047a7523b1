import Foundation
import Testing

@testable import monitorctl

@Suite("TerminalJSON")
struct TerminalJSONTests {
    @Test("what steers a terminal is escaped, and means the same")
    func escaped() throws {
        var codes = Array(UInt32(0x80)...0x9F)
        codes += [0x7F, 0x061C, 0x200E, 0x200F, 0x2028, 0x2029] + Array(0x202A...0x202E) + Array(0x2066...0x2069)
        for code in codes {
            let scalar = try #require(Unicode.Scalar(code))
            let json = Array("{\"a\":\"x\(Character(scalar))y\"}".utf8)
            let shown = TerminalJSON.printable(json)
            #expect(shown.allSatisfy { (0x20...0x7E).contains($0) })
            let read = try JSONSerialization.jsonObject(with: Data(shown)) as? [String: String]
            #expect(read?["a"] == "x\(Character(scalar))y")
        }
        for byte in UInt8(0)..<0x20 where ![9, 10, 13].contains(byte) {
            #expect(!TerminalJSON.printable([byte]).contains(byte))
        }
    }

    @Test("all else stays")
    func kept() {
        for text in ["{\"a\": 1}\n", "\u{A0}é日本🏳️‍🌈\u{2010}\u{2030}\u{2065}\u{206A}\t\r\n", "\u{E280}\u{C2}", ""] {
            #expect(TerminalJSON.printable(Array(text.utf8)) == Array(text.utf8))
        }
    }

    @Test("one behind another is escaped, too, and bytes that are no UTF-8 do no harm")
    func sequences() {
        #expect(TerminalJSON.printable([0xC2, 0x9B, 0xC2, 0x9B]) == Array("\\u009b\\u009b".utf8))
        #expect(TerminalJSON.printable([0xC2, 0x1B, 0x9B]) == [0xC2] + Array("\\u001b".utf8) + [0x9B])
    }
}

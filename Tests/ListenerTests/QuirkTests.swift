import Foundation
import Testing

/// Each quirk of libwebsockets names the tests that fail without its workaround.
@Suite struct QuirkTests {
    @Test func theTestsThatQuirksNameExist() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let list = tests.appendingPathComponent("../../Sources/Listener/Quirks/Quirk.swift")
        var named = 0
        var hasTest = false
        for line in try String(contentsOf: list, encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.starts(with: ["///", "Test:"]) {
                hasTest = true
                guard words[2] != "none." else { continue }
                let name = words[2].split(separator: ".")
                let file = tests.appendingPathComponent("\(name[0]).swift")
                let text = try String(contentsOf: file, encoding: .utf8)
                #expect(text.contains("func \(name[1])("), "\(words[2])")
                named += 1
            } else if words.first == "case" {
                #expect(hasTest, "\(line) names no test")
                hasTest = false
            }
        }
        #expect(named > 10)
    }
}

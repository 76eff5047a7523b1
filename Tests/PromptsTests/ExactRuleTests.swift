import Foundation
import JSON
import Testing

@testable import Prompts

struct ExactRuleTests {
    @Test("the cases that the hooks pass")
    func cases() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("hooks/exact-cases.tsv"), encoding: .utf8)
        var count = 0
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            try #require(fields.count == 3)
            let input = try JSONValue.parse(Array(fields[1].utf8))
            let found = ExactRule(tool: fields[0], input: input).map { "\($0.tool)(\($0.content))" } ?? "-"
            #expect(found == fields[2], "\(line)")
            count += 1
        }
        #expect(count > 50)
    }
}

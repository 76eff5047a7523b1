import EventModel
import Foundation
import JSON
import Testing

@testable import Risks

@Suite("Risks of tool calls")
struct RiskTableTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: root.appending(path: path)))
    }

    @Test("the table is the one that is shipped with the hooks")
    func source() throws {
        #expect(PackageResources.risk_tsv == (try RiskTableTests.bytes("hooks/risk.tsv")))
        #expect(RiskTable.shipped.commands.count > 100)
        #expect(RiskTable.shipped.options.count > 80)
    }

    @Test("the cases that the hooks pass")
    func cases() throws {
        let text = String(decoding: try RiskTableTests.bytes("Tests/hooks/risk-cases.tsv"), as: UTF8.self)
        var count = 0
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            try #require(fields.count == 4)
            let input = try JSONValue.parse(Array(fields[3].utf8))
            func members(_ names: [StaticString]) -> [[UInt8]] {
                names.compactMap { input["\($0)"]?.string }.map { Array($0.utf8) }
            }
            let call = ToolCall(
                tool: fields[2],
                project: fields[1],
                command: input["command"]?.string.map { Array($0.utf8) },
                paths: members(ToolCall.pathMembers),
                patterns: members(ToolCall.patternMembers(of: fields[2])),
                isUnconfined: input["dangerouslyDisableSandbox"].map { $0.bool != false && $0 != .null } ?? false
            )
            #expect(RiskTable.shipped.risk(of: call).rawValue == fields[0], "\(line)")
            count += 1
        }
        #expect(count > 500)
    }

    @Test("a long command and programs deep inside each other have the highest risk")
    func bounds() {
        func risk(_ command: String) -> ToolRisk {
            RiskTable.shipped.risk(of: ToolCall(tool: "Bash", project: "/p", command: Array(command.utf8)))
        }
        #expect(risk("ls " + String(repeating: "a", count: 40_000)) == .highest)
        #expect(risk("bash -c bash -c bash -c bash -c bash -c ls") == .highest)
        #expect(risk("") == .read)
    }

    @Test("a malformed table is none")
    func malformed() {
        let texts = [
            "read\ttool", "awful\ttool\tRead", "read\troom\tRead", "execute\toptions\tls -l", "execute\ttext\tjq",
        ]
        for text in texts {
            #expect(RiskTable(Array(text.utf8)) == nil, "\(text)")
        }
        #expect(RiskTable(Array("# nothing\n".utf8)) != nil)
    }
}

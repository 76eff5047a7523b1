import EventModel
import Testing

@testable import Tools

struct ToolNameTests {
    @Test(arguments: [
        ("git_diff-staged", "git diff staged"), ("readFile", "read File"), ("HTTPGet2", "HTTPGet2"), ("a.b", "a b"),
        ("", ""),
    ])
    func wordsOfNames(name: String, words: String) {
        #expect(ToolName.words(name) == words)
    }

    @Test func namesInClaudeCode() {
        #expect(ToolName.claude("user one", "read.file") == "mcp__user_one__read_file")
        #expect(ToolName.claude("ü", "a-b") == "mcp_____a-b")
    }

    @Test func idsDifferByEachPart() {
        let machine = MachineID(rawValue: 1)
        let ids = [
            ToolName.serverID(machine: machine, scope: "user", path: nil, name: "git"),
            ToolName.serverID(machine: MachineID(rawValue: 2), scope: "user", path: nil, name: "git"),
            ToolName.serverID(machine: machine, scope: "local", path: nil, name: "git"),
            ToolName.serverID(machine: machine, scope: "user", path: "/x", name: "git"),
            ToolName.serverID(machine: machine, scope: "user", path: nil, name: "gi"),
        ]
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { $0.hasPrefix("mcp_") && $0.utf8.count == 28 })
    }
}

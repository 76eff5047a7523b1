import Foundation
import Testing

@testable import MachinePolicy

struct ProjectServersTests {
    private func approved(_ record: String) -> ApprovedServers {
        ApprovedServers(in: "/home/dev/app", record: Array(record.utf8))
    }

    @Test func onlyWhatAPersonHasApproved() {
        let record =
            #"{"projects":{"/home/dev/app":{"enabledMcpjsonServers":["a","b",1]},"#
            + #""/home/dev":{"enabledMcpjsonServers":["c"]}}}"#
        #expect(approved(record) == .only(["a", "b"]))
        #expect(approved(record).contains("a"))
        #expect(!approved(record).contains("c"))
    }

    @Test(arguments: [
        "", "{", "[]", #"{"projects":[]}"#, #"{"projects":{"/home/dev/app":{"enabledMcpjsonServers":"a"}}}"#,
    ])
    func nothingFromARecordThatIsNone(record: String) {
        #expect(approved(record) == .only([]))
    }

    /// As Claude Code reads the record: the last entry of a name counts.
    @Test func theLastEntryCounts() {
        let record = #"{"projects":{"/home/dev/app":{"enabledMcpjsonServers":["a"]},"/home/dev/app":{}}}"#
        #expect(approved(record) == .only([]))
    }

    @Test func namesOfTheFolderAndOfThoseThatContainIt() throws {
        let manager = FileManager.default
        let root = manager.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? manager.removeItem(atPath: root) }
        try manager.createDirectory(atPath: root + "/inner", withIntermediateDirectories: true)
        try Data(#"{"mcpServers":{"outer":{}}}"#.utf8).write(to: URL(filePath: root + "/.mcp.json"))
        try Data(#"{"mcpServers":{"inner":{}}}"#.utf8).write(to: URL(filePath: root + "/inner/.mcp.json"))
        #expect(ProjectServers.names(in: root + "/inner") == ["inner", "outer"])
        #expect(ProjectServers.names(in: root + "/absent") == ["outer"])
    }
}

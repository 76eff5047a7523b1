import Foundation
import GitRunner
import JSON
import Testing

/// Contents that are small in a repository and large when git shows them.
@Suite(.timeLimit(.minutes(5))) struct LargeContentTests {
    private func commit(_ name: String, bytes: Int, _ path: String, _ sandbox: Sandbox) throws {
        let line = Data("a line of a text that is the same again and again\n".utf8)
        var content = Data(capacity: bytes + line.count)
        while content.count < bytes { content.append(line) }
        try content.write(to: URL(fileURLWithPath: path + "/" + name))
        try sandbox.git(["add", "-A"], in: path)
        try sandbox.git(["commit", "-q", "-m", name], in: path)
    }

    /// To compare it as a text, git would take several times its size of memory.
    @Test(arguments: [true, false]) func aHugeTextDiffersAsABinaryFileDoes(_ isTrusted: Bool) async throws {
        let sandbox = try Sandbox()
        sandbox.trusted = isTrusted ? nil : []
        let path = try sandbox.repository()
        try commit("huge", bytes: GitRepository.mostCompared + 1, path, sandbox)
        let shown = try await sandbox.run(.show("HEAD", DiffRequest()), in: path)
        #expect(shown["diffs"]?.array?.map { $0["is_binary"] } == [.bool(true)])
        try "short\n".write(toFile: path + "/huge")
        let diff = try await sandbox.run(.diff(DiffRequest()), in: path)
        #expect(diff["diffs"]?.array?.map { $0["is_binary"] } == [.bool(true)])
        #expect(diff.list("diffs", "diff").joined().contains("Binary files a/huge and b/huge differ"))
        let status = try await sandbox.run(.status, in: path)
        #expect(status["unstaged"]?.array?.map { $0["is_binary"] } == [.bool(true)])
    }

    @Test func moreThanGitMayWriteIsCutAndSaysSo() async throws {
        let sandbox = try Sandbox()
        let path = try sandbox.repository()
        for name in ["a", "b", "c"] { try commit(name, bytes: 20 << 20, path, sandbox) }
        try sandbox.git(["reset", "-q", "--soft", "HEAD~2"], in: path)
        try sandbox.git(["commit", "-q", "--amend", "-m", "all"], in: path)
        let shown = try await sandbox.run(.show("HEAD", DiffRequest()), in: path)
        #expect(shown["is_truncated"] == .bool(true))
        #expect(shown.list("diffs", "diff").reduce(0) { $0 + $1.utf8.count } <= 280 << 10)
        #expect(shown["diffs"]?.array?.map { $0["is_truncated"] } == Array(repeating: .bool(true), count: 3))
    }
}

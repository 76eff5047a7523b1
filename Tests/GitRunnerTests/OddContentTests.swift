import Foundation
import GitRunner
import JSON
import Testing

/// Line ends that git changes, files that are not checked out, and files of Git LFS.
@Suite(.timeLimit(.minutes(5))) struct OddContentTests {
    private func commit(_ files: [String: String], _ path: String, _ sandbox: Sandbox) throws {
        for (name, text) in files { try text.write(toFile: path + "/" + name) }
        try sandbox.git(["add", "-A"], in: path)
        try sandbox.git(["commit", "-q", "-m", "one"], in: path)
    }

    /// A hunk of a file whose lines end with CRLF in the work tree and with LF in the index.
    @Test func aHunkOfAFileWithOtherLineEndsIsStagedAsGitWould() async throws {
        let sandbox = try Sandbox()
        let path = try sandbox.repository()
        try sandbox.git(["config", "core.autocrlf", "true"], in: path)
        let lines = (0..<40).map { "line \($0)\r\n" }
        try commit(["a": lines.joined()], path, sandbox)
        let status = try await sandbox.run(.status, in: path)
        #expect(status["is_clean"] == .bool(true))
        var changed = lines
        (changed[3], changed[30]) = ("three\r\n", "thirty\r\n")
        try changed.joined().write(toFile: path + "/a")
        var request = DiffRequest()
        request.path = try GitPath("a")
        let diff = try await sandbox.run(.diff(request), in: path)
        let headings = (diff["diff"]?.string ?? "").split(separator: "\n").filter { $0.hasPrefix("@@") }
        #expect(headings.count == 2 && diff["additions"]?.integer == 2)
        let hunk = HunkRequest(
            action: .stage,
            path: try GitPath("a"),
            base: diff["base"]?.string ?? "",
            target: diff["target"]?.string,
            hunks: [String(headings[0])]
        )
        _ = try await sandbox.run(.hunks(hunk), in: path)
        var staged = (0..<40).map { "line \($0)\n" }
        staged[3] = "three\n"
        #expect(try sandbox.text(["show", ":a"], in: path) == staged.joined())
        #expect(try sandbox.text(["diff", "--numstat"], in: path) == "1\t1\ta\n")
        let discarded = try await sandbox.run(.discard([try GitPath("a")]), in: path)
        #expect(try String(contentsOfFile: path + "/a", encoding: .utf8).contains("three\r\n"))
        _ = try await sandbox.run(.undo(discarded["undo"]?.string ?? ""), in: path)
        #expect(try String(contentsOfFile: path + "/a", encoding: .utf8) == changed.joined())
    }

    @Test func aSparseCheckoutHasNoDeletedFiles() async throws {
        let sandbox = try Sandbox()
        let path = try sandbox.repository()
        try commit(["in/a": "a\n", "out/b": "b\n"], path, sandbox)
        try sandbox.git(["sparse-checkout", "set", "in"], in: path)
        try "changed\n".write(toFile: path + "/in/a")
        for trusted in [nil, []] as [Set<String>?] {
            sandbox.trusted = trusted
            let status = try await sandbox.run(.status, in: path)
            #expect(status.list("unstaged", "path") == ["in/a"] && status.list("staged").isEmpty)
            #expect(try await sandbox.run(.diff(DiffRequest()), in: path).list("diffs", "path") == ["in/a"])
        }
        sandbox.trusted = nil
        _ = try await sandbox.run(.stage([try GitPath("in/a")]), in: path)
        _ = try await sandbox.run(.commit(GitRepository.CommitRequest(message: "two")), in: path)
        #expect(try sandbox.text(["ls-tree", "-r", "--name-only", "HEAD"], in: path) == "in/a\nout/b\n")
        #expect(!FileManager.default.fileExists(atPath: path + "/out"))
    }

    /// In a folder that a person trusts, the filter makes a pointer of the file; elsewhere it is not run.
    @Test func aFileOfALargeFileStorageCountsByItsPointer() async throws {
        let sandbox = try Sandbox()
        let path = try sandbox.repository()
        let mark = sandbox.root + "/mark"
        try sandbox.git(["config", "filter.lfs.clean", "touch \(mark); sha256sum | cut -c1-64"], in: path)
        try sandbox.git(["config", "filter.lfs.smudge", "cat"], in: path)
        try commit([".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "a.bin": "one\n"], path, sandbox)
        let pointer = try sandbox.text(["show", ":a.bin"], in: path)
        #expect(pointer.utf8.count == 65)
        try "second\n".write(toFile: path + "/a.bin")
        let diff = try await sandbox.run(.diff(DiffRequest()), in: path)
        #expect(diff.list("diffs", "diff").joined().contains("-" + pointer))
        #expect(!diff.list("diffs", "diff").joined().contains("second"))
        _ = try await sandbox.run(.stage([try GitPath("a.bin")]), in: path)
        #expect(try sandbox.text(["show", ":a.bin"], in: path).utf8.count == 65)
        sandbox.trusted = []
        try "third\n".write(toFile: path + "/a.bin")
        try FileManager.default.removeItem(atPath: mark)
        let plain = try await sandbox.run(.diff(DiffRequest()), in: path)
        #expect(plain.list("diffs", "path") == ["a.bin"])
        #expect(!FileManager.default.fileExists(atPath: mark))
    }
}

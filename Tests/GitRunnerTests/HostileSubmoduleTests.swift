import Foundation
import GitRunner
import JSON
import Testing

/// Submodules whose addresses and own settings name programs, in a folder that nobody trusts.
@Suite(.timeLimit(.minutes(5))) struct HostileSubmoduleTests {
    /// A repository with the submodule `sub`, whose address, way of updating and own settings make a file when used.
    private func repository(_ sandbox: Sandbox) throws -> (path: String, mark: String) {
        let path = try sandbox.repository()
        let inner = try sandbox.repository("repo/sub")
        let (mark, run) = (sandbox.root + "/mark", path + "/evil.sh")
        try "#!/bin/sh\ntouch \(mark)\ncat\n".write(toFile: run)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: run)
        try "one\n".write(toFile: inner + "/s")
        try sandbox.git(["add", "-A"], in: inner)
        try sandbox.git(["commit", "-q", "-m", "one"], in: inner)
        // Git itself refuses a program as `update` here.
        let declared = "[submodule \"sub\"]\n\tpath = sub\n\turl = ext::\(run)\n\tignore = none\n"
        try declared.write(toFile: path + "/.gitmodules")
        try "one\n".write(toFile: path + "/a")
        try sandbox.git(["add", "-A"], in: path)
        try sandbox.git(["commit", "-q", "-m", "one"], in: path)
        let outer = [
            ("submodule.sub.url", "ext::\(run)"), ("submodule.sub.update", "!\(run)"), ("submodule.sub.active", "true"),
            ("submodule.recurse", "true"), ("status.submoduleSummary", "true"), ("diff.submodule", "diff"),
            ("diff.ignoreSubmodules", "none"), ("fetch.recurseSubmodules", "true"), ("protocol.ext.allow", "always"),
        ]
        for (name, value) in outer { try sandbox.git(["config", name, value], in: path) }
        try "* filter=evil diff=evil\n".write(toFile: inner + "/.git/info/attributes")
        let settings = [
            ("core.fsmonitor", run), ("diff.external", run), ("diff.evil.textconv", run), ("filter.evil.clean", run),
            ("filter.evil.smudge", run), ("core.sshCommand", run), ("core.pager", run), ("core.hooksPath", path),
        ]
        for (name, value) in settings { try sandbox.git(["config", name, value], in: inner) }
        try "two\n".write(toFile: inner + "/s")
        try? FileManager.default.removeItem(atPath: mark)
        return (path, mark)
    }

    @Test func nothingOfASubmoduleIsRun() async throws {
        let sandbox = try Sandbox()
        sandbox.trusted = []
        let (path, mark) = try repository(sandbox)
        var file = DiffRequest()
        file.path = try GitPath("sub")
        let reads: [GitRequest] = [
            .status, .state, .branches, .remotes, .worktrees, .diff(DiffRequest()), .diff(file), .log(LogRequest()),
            .show("HEAD", DiffRequest()), .show("HEAD", file),
        ]
        for request in reads { _ = try await sandbox.run(request, in: path) }
        for against in [DiffRequest.Against.staged, .commit("HEAD")] {
            file.against = against
            _ = try await sandbox.run(.diff(file), in: path)
        }
        #expect(!FileManager.default.fileExists(atPath: mark))
        // The submodule is a repository that nobody trusts, too.
        let own = try await sandbox.run(.status, in: path + "/sub")
        #expect(own.list("unstaged", "path") == ["s"])
        _ = try await sandbox.run(.diff(DiffRequest()), in: path + "/sub")
        #expect(!FileManager.default.fileExists(atPath: mark))
        // The settings do work for one who uses git there.
        try sandbox.git(["status"], in: path, allowsFailure: true)
        #expect(FileManager.default.fileExists(atPath: mark))
    }

    @Test func nothingOfASubmoduleIsRunForAChangeSet() throws {
        let sandbox = try Sandbox()
        sandbox.trusted = []
        let (path, mark) = try repository(sandbox)
        #expect(try ChangesTests.begin(path, sandbox))
        try "three\n".write(toFile: path + "/sub/s")
        try "two\n".write(toFile: path + "/a")
        let answer = try ChangesTests.changes(sandbox) { $0.hasHunks = true }
        #expect(ChangesTests.lines(answer) == ["M a 1 1"])
        #expect(!FileManager.default.fileExists(atPath: mark))
    }
}

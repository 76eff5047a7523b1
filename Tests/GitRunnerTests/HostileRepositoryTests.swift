import Foundation
import GitRunner
import JSON
import Testing

/// A repository that somebody else has made, in a folder that nobody trusts: nothing of it is run, and nothing outside
/// the roots is shown.
@Suite(.timeLimit(.minutes(5))) struct HostileRepositoryTests {
    /// A repository whose settings all make a file when they are used.
    static func hostile(_ sandbox: Sandbox) throws -> (path: String, mark: String) {
        let path = try sandbox.repository()
        let mark = sandbox.root + "/mark"
        try "one\n".write(toFile: path + "/a.txt")
        try "* filter=evil diff=evil merge=evil\n".write(toFile: path + "/.gitattributes")
        try sandbox.git(["add", "-A"], in: path)
        try sandbox.git(["commit", "-q", "-m", "one"], in: path)
        try "two\n".write(toFile: path + "/a.txt")
        let run = "\(path)/evil.sh"
        try "#!/bin/sh\ntouch \(mark)\ncat\n".write(toFile: run)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: run)
        let other = path + "/included"
        try "[core]\n\tfsmonitor = \(run)\n\tpager = \(run)\n".write(toFile: other)
        let settings = [
            ("core.fsmonitor", run), ("core.sshCommand", run), ("core.pager", run), ("core.editor", run),
            ("core.hooksPath", path), ("core.askPass", run), ("core.gitProxy", run), ("diff.external", run),
            ("diff.evil.command", run), ("diff.evil.textconv", run), ("filter.evil.clean", run),
            ("filter.evil.smudge", run), ("filter.evil.process", run), ("filter.evil.required", "true"),
            ("merge.evil.driver", run), ("gpg.program", run), ("log.showSignature", "true"),
            ("credential.helper", run), ("uploadpack.packObjectsHook", run), ("protocol.ext.allow", "always"),
            ("remote.evil.url", "ext::\(run)"), ("remote.evil.promisor", "true"), ("remote.evil.uploadpack", run),
            ("extensions.partialClone", "evil"), ("pager.status", run), ("pager.log", run), ("pager.diff", run),
            ("alias.status", "!\(run)"), ("interactive.diffFilter", run), ("include.path", other),
            ("branch.main.remote", "evil"), ("branch.main.merge", "refs/heads/main"),
            ("core.repositoryformatversion", "1"),
        ]
        for (name, value) in settings { try sandbox.git(["config", name, value], in: path) }
        for hook in ["post-index-change", "fsmonitor-watchman", "pre-commit", "post-checkout", "reference-transaction"]
        {
            try FileManager.default.createDirectory(atPath: path + "/.git/hooks", withIntermediateDirectories: true)
            try? FileManager.default.removeItem(atPath: path + "/.git/hooks/" + hook)
            try FileManager.default.copyItem(atPath: run, toPath: path + "/.git/hooks/" + hook)
        }
        return (path, mark)
    }

    @Test func nothingIsRun() async throws {
        let sandbox = try Sandbox()
        sandbox.trusted = []
        let (path, mark) = try Self.hostile(sandbox)
        var diff = DiffRequest()
        let reads: [GitRequest] = [
            .status, .state, .branches, .stashes, .remotes, .worktrees, .diff(diff), .log(LogRequest()),
            .show("HEAD", DiffRequest()),
        ]
        for request in reads { _ = try await sandbox.run(request, in: path) }
        for against in [DiffRequest.Against.staged, .commit("HEAD"), .commit("main")] {
            diff.against = against
            _ = try await sandbox.run(.diff(diff), in: path)
        }
        let status = try await sandbox.run(.status, in: path)
        #expect(status.list("unstaged", "path") == ["a.txt"])
        #expect(status["is_trusted"] == .bool(false))
        let content = try await sandbox.run(.diff(DiffRequest()), in: path)
        #expect(content.list("diffs", "diff").joined().contains("-one\n+two"))
        #expect(!FileManager.default.fileExists(atPath: mark))
        // The settings do work for one who uses git there.
        try sandbox.git(["diff"], in: path, allowsFailure: true)
        #expect(FileManager.default.fileExists(atPath: mark))
    }

    /// An object that is missing is not fetched from where the settings say.
    @Test func aMissingObjectIsNotFetched() async throws {
        for isTrusted in [true, false] {
            let sandbox = try Sandbox()
            let (path, mark) = try Self.hostile(sandbox)
            try sandbox.git(["config", "--unset", "core.fsmonitor"], in: path)
            for name in ["filter.evil", "diff.evil", "core", "diff"] where isTrusted {
                for key in ["clean", "smudge", "process", "required", "command", "textconv", "external", "pager"] {
                    try sandbox.git(["config", "--unset", "\(name).\(key)"], in: path, allowsFailure: true)
                }
            }
            try sandbox.git(["config", "--unset", "include.path"], in: path)
            let blob = try sandbox.text(["rev-parse", "HEAD:a.txt"], in: path).dropLast()
            try FileManager.default.removeItem(atPath: "\(path)/.git/objects/\(blob.prefix(2))/\(blob.dropFirst(2))")
            try? FileManager.default.removeItem(atPath: mark)
            sandbox.trusted = isTrusted ? nil : []
            await #expect(throws: GitError.self) { try await sandbox.run(.show("HEAD", DiffRequest()), in: path) }
            #expect(!FileManager.default.fileExists(atPath: mark))
        }
    }

    @Test func writesAreRefused() async throws {
        let sandbox = try Sandbox()
        sandbox.trusted = []
        let (path, mark) = try Self.hostile(sandbox)
        let file = try GitPath("a.txt")
        let writes: [GitRequest] = [
            .stage([file]), .unstage([file]), .discard([file]), .undo("dsc_00000000000000000000"),
            .commit(GitRepository.CommitRequest(message: "x")), .push(GitRepository.PushRequest()),
            .pull(rebases: false), .fetch(remote: "evil", prunes: false), .checkout("main", creates: false),
            .createBranch("x", from: nil), .deleteBranch("main", isForced: true), .setUpstream(nil, to: "evil/main"),
            .stash(message: nil, includesUntracked: true), .stashVerb(.pop, 0), .abortMerge,
            .merge("main", noFastForward: true, message: nil), .addRemote("x", url: "/x", fetches: true),
            .removeRemote("evil"),
            .hunks(HunkRequest(action: .stage, path: file, base: "", target: nil, hunks: ["@@ -1 +1 @@"])),
        ]
        for request in writes {
            await #expect(throws: GitError.untrusted(path)) { try await sandbox.run(request, in: path) }
        }
        #expect(!FileManager.default.fileExists(atPath: mark))
        await #expect(throws: GitError.untrusted(sandbox.root)) {
            try await sandbox.run(.create(branch: nil), in: sandbox.root)
        }
    }

    @Test func nothingLeadsOutOfTheRoots() async throws {
        let sandbox = try Sandbox()
        let outside = sandbox.state + "/private"
        try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
        try sandbox.git(["init", "-q"], in: outside)
        try "secret\n".write(toFile: outside + "/s")
        try sandbox.git(["add", "-A"], in: outside)
        try sandbox.git(["commit", "-q", "-m", "s"], in: outside)
        for isTrusted in [true, false] {
            sandbox.trusted = isTrusted ? nil : []
            let file = sandbox.root + "/file-\(isTrusted)"
            try "gitdir: \(outside)/.git\n".write(toFile: file + "/.git")
            await #expect(throws: GitError.outsideRoots(outside + "/.git")) { try await sandbox.run(.status, in: file) }
            let link = sandbox.root + "/link-\(isTrusted)"
            try FileManager.default.createDirectory(atPath: link, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(atPath: link + "/.git", withDestinationPath: outside + "/.git")
            await #expect(throws: GitError.outsideRoots(outside + "/.git")) { try await sandbox.run(.status, in: link) }
            await #expect(throws: GitError.outsideRoots(outside)) { try await sandbox.run(.status, in: outside) }
            let common = try sandbox.repository("common-\(isTrusted)")
            try (outside + "/.git\n").write(toFile: common + "/.git/commondir")
            await #expect(throws: GitError.outsideRoots(outside + "/.git")) {
                try await sandbox.run(.status, in: common)
            }
        }
        sandbox.trusted = []
        let objects = try sandbox.repository("objects")
        try (outside + "/.git/objects\n").write(toFile: objects + "/.git/objects/info/alternates")
        await #expect(throws: GitError.self) { try await sandbox.run(.log(LogRequest()), in: objects) }
        let refs = try sandbox.repository("refs")
        try FileManager.default.removeItem(atPath: refs + "/.git/objects")
        try FileManager.default.createSymbolicLink(
            atPath: refs + "/.git/objects",
            withDestinationPath: outside + "/.git/objects"
        )
        await #expect(throws: GitError.self) { try await sandbox.run(.log(LogRequest()), in: refs) }
        for (number, name) in ["objects/pack", "refs/heads"].enumerated() {
            let path = try sandbox.repository("inner-\(number)")
            try FileManager.default.removeItem(atPath: path + "/.git/" + name)
            try FileManager.default.createSymbolicLink(
                atPath: path + "/.git/" + name,
                withDestinationPath: outside + "/.git/" + name
            )
            await #expect(throws: GitError.outsideRoots("\(path)/.git/\(name)")) {
                try await sandbox.run(.log(LogRequest()), in: path)
            }
        }
    }

    /// The agent's own environment names no repository and no program.
    @Test func variablesOfGitDoNotPass() async throws {
        let sandbox = try Sandbox()
        let path = try sandbox.repository()
        var settings = sandbox.settings
        let mark = sandbox.root + "/mark"
        settings.environment += [
            "GIT_DIR=/nowhere", "GIT_WORK_TREE=/", "GIT_EXTERNAL_DIFF=touch \(mark)", "GIT_PAGER=touch \(mark)",
            "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=touch \(mark)",
            "LD_PRELOAD=/nowhere.so", "PAGER=touch \(mark)",
        ]
        let state = try await GitService().run(.status, in: path, settings)
        #expect(state["state"]?.string == "git_init")
        #expect(!FileManager.default.fileExists(atPath: mark))
    }
}

import Foundation
import GitRunner
import JSON
import Testing

/// Names and paths of requests that are no names and paths.
@Suite(.timeLimit(.minutes(5))) struct RequestChecksTests {
    @Test(arguments: ["/etc/passwd", "../x", "a/../../x", "", "a\0b", ".git/config", "a/.GIT/x", "a//b", "./a", "x/."])
    func pathsOutsideAreRefused(_ path: String) {
        #expect(throws: GitError.self) { try GitPath(path) }
    }

    @Test(
        arguments: [
            "-x", "--upload-pack=touch x", "a b", "a..b", "a~1", "x^", "@{u}", "@", "x.lock", "a//b", "", ".a", "a:b",
        ]
    )
    func branchesThatAreNoneAreRefused(_ name: String) async throws {
        let sandbox = try Sandbox()
        let path = try sandbox.repository()
        try sandbox.git(["commit", "-q", "--allow-empty", "-m", "x"], in: path)
        var push = GitRepository.PushRequest()
        push.branch = name
        let requests: [GitRequest] = [
            .checkout(name, creates: true), .checkout(name, creates: false), .createBranch(name, from: nil),
            .deleteBranch(name, isForced: true), .merge(name, noFastForward: false, message: nil), .push(push),
            .setUpstream(name, to: "main"), .setUpstream(nil, to: name), .create(branch: name),
        ]
        for request in requests {
            await #expect(throws: GitError.self) { try await sandbox.run(request, in: path) }
        }
        #expect(try sandbox.text(["branch", "--format=%(refname:short)"], in: path) == "main\n")
    }

    @Test(arguments: ["--output=x", "-p", "HEAD:a", ":/x", "HEAD x", "nothing", ""])
    func revisionsThatAreNoneAreRefused(_ name: String) async throws {
        let sandbox = try Sandbox()
        let path = try sandbox.repository()
        try "x".write(toFile: path + "/a")
        try sandbox.git(["add", "a"], in: path)
        try sandbox.git(["commit", "-q", "-m", "x"], in: path)
        var diff = DiffRequest()
        diff.against = .commit(name)
        var log = LogRequest()
        log.branch = name
        for request in [GitRequest.show(name, DiffRequest()), .diff(diff), .log(log), .createBranch("y", from: name)] {
            await #expect(throws: GitError.self) { try await sandbox.run(request, in: path) }
        }
        #expect(!FileManager.default.fileExists(atPath: path + "/x"))
    }

    @Test func addressesThatNameProgramsAreRefused() async throws {
        let sandbox = try Sandbox()
        let path = try sandbox.repository()
        for url in [
            "ext::sh -c x", "ext::x", "--upload-pack=x", "-x", "fd::17", "a b", "/tmp/x", "../x", "file:///tmp/x",
            "http://a/b",
            "https://me:secret@a/b", "ssh://-oProxyCommand=x/y", "git@-oProxyCommand=x:y", "a/b@c:d", "@a:b",
        ] {
            await #expect(throws: GitError.self) {
                try await sandbox.run(.addRemote("evil", url: url, fetches: true), in: path)
            }
        }
        // Neither is an address a remote.
        for remote in ["ext::touch x", "/tmp", "--upload-pack=touch x"] {
            var push = GitRepository.PushRequest()
            push.remote = remote
            await #expect(throws: GitError.self) { try await sandbox.run(.push(push), in: path) }
            await #expect(throws: GitError.self) {
                try await sandbox.run(.fetch(remote: remote, prunes: false), in: path)
            }
        }
        #expect(try sandbox.text(["remote"], in: path).isEmpty)
        // Not even one that is set: `ext` stays off.
        try sandbox.git(["remote", "add", "set", "ext::touch \(path)/made"], in: path)
        try sandbox.git(["config", "protocol.ext.allow", "always"], in: path)
        await #expect(throws: GitError.self) { try await sandbox.run(.fetch(remote: "set", prunes: false), in: path) }
        #expect(!FileManager.default.fileExists(atPath: path + "/made"))
    }

    /// A path is a name, and no pattern.
    @Test func pathsAreLiteral() async throws {
        let sandbox = try Sandbox()
        let path = try sandbox.repository()
        for name in ["a", "b", "*", ":(top)a", "--all"] { try "x\n".write(toFile: path + "/" + name) }
        for name in ["*", ":(top)a", "--all"] {
            _ = try await sandbox.run(.stage([try GitPath(name)]), in: path)
            #expect(try sandbox.text(["ls-files", "-z"], in: path) == name + "\0")
            _ = try await sandbox.run(.unstage([try GitPath(name)]), in: path)
            var diff = DiffRequest()
            diff.path = try GitPath(name)
            #expect(try await sandbox.run(.diff(diff), in: path)["path"]?.string == name)
            let done = try await sandbox.run(.discard([try GitPath(name)]), in: path)
            #expect(done.list("discarded") == [name])
            _ = try await sandbox.run(.undo(done["undo"]?.string ?? ""), in: path)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 6)
    }

    @Test func passwordsInAddressesAreNotShown() async throws {
        let sandbox = try Sandbox()
        let path = try sandbox.repository()
        try sandbox.git(["remote", "add", "origin", "https://me:hunter2@localhost:1/x.git"], in: path)
        let remotes = try await sandbox.run(.remotes, in: path)
        #expect(remotes.list("remotes", "fetch_url") == ["https://***@localhost:1/x.git"])
        do {
            _ = try await sandbox.run(.fetch(remote: "origin", prunes: false), in: path)
            Issue.record("nothing listens there")
        } catch GitError.failed(let said) {
            #expect(said.contains("localhost") && !said.contains("hunter2"))
        }
    }

    @Test func secretFilesAreNotShown() async throws {
        let sandbox = try Sandbox()
        sandbox.secrets = [".env"]
        let path = try sandbox.repository()
        try "TOKEN=hunter2\n".write(toFile: path + "/.env")
        try "x\n".write(toFile: path + "/a")
        try sandbox.git(["add", "-A"], in: path)
        try sandbox.git(["commit", "-q", "-m", "x"], in: path)
        try "TOKEN=hunter3\n".write(toFile: path + "/.env")
        try "y\n".write(toFile: path + "/a")
        let answers = [
            try await sandbox.run(.diff(DiffRequest()), in: path),
            try await sandbox.run(.show("HEAD", DiffRequest()), in: path),
        ]
        for answer in answers {
            #expect(Set(answer.list("diffs", "path")) == [".env", "a"])
            #expect(!answer.list("diffs", "diff").joined().contains("TOKEN"))
        }
        var diff = DiffRequest()
        diff.path = try GitPath(".env")
        await #expect(throws: GitError.secretFile(".env")) { try await sandbox.run(.diff(diff), in: path) }
        await #expect(throws: GitError.secretFile(".env")) { try await sandbox.run(.show("HEAD", diff), in: path) }
        let status = try await sandbox.run(.status, in: path)
        #expect(status["unstaged"]?.array?.first { $0["path"] == .string(".env") }?["is_sensitive"] == .bool(true))
    }
}

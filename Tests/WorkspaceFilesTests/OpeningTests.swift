import Foundation
import Testing

@testable import WorkspaceFiles

/// Both openers, by one table: whatever the system offers, the same is served.
@Suite(.serialized) struct OpeningTests {
    static let cases: [(path: String, result: Result<String, FileFault>)] = [
        ("a", .success("in a\n")), ("./a", .success("in a\n")), ("inner//deep/b", .success("in b\n")),
        ("link", .success("in a\n")), ("inner/up", .success("in a\n")), ("chain", .success("in a\n")),
        ("inner-link/deep/b", .success("in b\n")), ("winding", .success("in a\n")),
        ("missing", .failure(.notFound)), ("dangling", .failure(.notFound)), ("a/b", .failure(.notFound)),
        ("a/", .success("in a\n")), ("link-to-a/", .success("in a\n")), ("slashed", .failure(.notFound)),
        ("../outside/secret", .failure(.outside)), ("/etc/hostname", .failure(.outside)),
        ("inner/../a", .failure(.outside)), ("out", .failure(.outside)), ("out-file", .failure(.outside)),
        ("absolute", .failure(.outside)), ("absolute-inside", .failure(.outside)),
        ("above/outside/secret", .failure(.outside)), ("inner/far", .failure(.outside)),
        ("circle", .failure(.links)), ("circle/x", .failure(.links)), ("l41", .failure(.links)),
        ("l40", .success("in a\n")), ("fifo", .failure(.special)), ("inner/socket", .failure(.special)),
        ("a\0", .failure(.outside)), (String(repeating: "n", count: 256), .failure(.notFound)),
        (String(repeating: "n/", count: 2100), .failure(.notFound)),
    ]

    private func tree() throws -> TemporaryTree {
        let tree = try TemporaryTree()
        try tree.directory("root/inner/deep").directory("outside").file("outside/secret", "secret\n")
        try tree.file("root/a", "in a\n").file("root/inner/deep/b", "in b\n")
        try tree.link("root/link", to: "a").link("root/inner/up", to: "../a").link("root/chain", to: "inner/up")
        try tree.link("root/inner-link", to: "inner").link("root/winding", to: "inner/deep/../../inner/./up")
        try tree.link("root/dangling", to: "nowhere").link("root/out", to: "../outside")
        try tree.link("root/link-to-a", to: "a").link("root/slashed", to: "a/")
        try tree.link("root/out-file", to: "../outside/secret").link("root/absolute", to: "/etc/hostname")
        try tree.link("root/absolute-inside", to: tree.path + "/root/a").link("root/above", to: "..")
        try tree.link("root/inner/far", to: "../../outside/secret").link("root/circle", to: "circle")
        // As many links as Linux follows, and one more.
        try tree.link("root/l1", to: "a")
        for number in 2...41 { try tree.link("root/l\(number)", to: "l\(number - 1)") }
        #expect(mkfifo(tree.path + "/root/fifo", 0o600) == 0)
        try listen(at: tree.path + "/root/inner/socket")
        return tree
    }

    private func listen(at path: String) throws {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8.prefix(107))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(code == 0 || bytes.count == 107)
    }

    @Test("the same path has the same result", arguments: BeneathOpener.allCases)
    func table(opener: BeneathOpener) throws {
        let tree = try tree()
        let root = try tree.root("root", opener)
        for (path, expected) in OpeningTests.cases {
            let found = Result<String, any Error> { try root.text(path) }.mapError { $0 as? FileFault ?? .system(-1) }
            #expect(found == expected, "\(path.prefix(40))")
        }
    }

    @Test("this system has openat2; if it has not, the other opener is the best one")
    func best() { #expect(BeneathOpener.best == .kernel || BeneathOpener.best == .stepwise) }

    @Test("files of /proc are refused also below the root directory", arguments: BeneathOpener.allCases)
    func kernelFiles(opener: BeneathOpener) throws {
        let root = try RootDirectory("/", opener: opener)
        for path in [
            "proc/self/environ", "proc/1/mem", "proc/self/fd/0", "proc/self/cwd/etc", "sys/kernel", "dev/null",
        ] {
            #expect(throws: FileFault.self, "\(path)") { try root.open(RelativePath(path)) }
        }
        #expect(try root.open(RelativePath("etc")).status.kind == .directory)
    }

    @Test("a root behind a link is none")
    func linkedRoot() throws {
        let tree = try TemporaryTree()
        try tree.directory("real").link("root", to: "real").link("way", to: ".")
        #expect(throws: FileFault.self) { try tree.root("root") }
        #expect(throws: FileFault.self) { try tree.root("way/real") }
    }

    @Test(
        "a root that is moved meanwhile serves the same directory and nothing else",
        arguments: BeneathOpener.allCases
    )
    func movedRoot(opener: BeneathOpener) throws {
        let tree = try TemporaryTree()
        try tree.directory("root").file("root/a", "mine\n").directory("other").file("other/a", "theirs\n")
        let root = try tree.root("root", opener)
        try FileManager.default.moveItem(atPath: tree.path + "/root", toPath: tree.path + "/gone")
        try tree.link("root", to: "other")
        #expect(try root.text("a") == "mine\n")
    }

    @Test("a link that is changed all the time never leads out: 10,000 tries", arguments: BeneathOpener.allCases)
    func race(opener: BeneathOpener) async throws {
        let tree = try TemporaryTree()
        try tree.directory("root/inner").directory("outside").file("root/inner/a", "inside\n")
        try tree.file("outside/a", "outside\n").file("root/plain", "inside\n")
        let root = try tree.root("root", opener)
        let path = tree.path
        let (started, starting) = AsyncStream<Void>.makeStream()
        let swapping = Task.detached {
            var number = 0
            let targets = ["inner", "../outside", path + "/outside", "inner/../../outside"]
            while !Task.isCancelled {
                try? FileManager.default.removeItem(atPath: path + "/root/new")
                _ = symlink(targets[number % targets.count], path + "/root/new")
                _ = rename(path + "/root/new", path + "/root/door")
                number += 1
                if number == targets.count { starting.finish() }
                await Task.yield()
            }
        }
        for await _ in started {}
        var counts: [String: Int] = [:]
        for _ in 0..<10_000 {
            await Task.yield()
            do {
                let text = try root.text("door/a")
                #expect(text == "inside\n")
                counts["served", default: 0] += 1
            } catch { counts["refused", default: 0] += 1 }
        }
        swapping.cancel()
        await swapping.value
        // The race took place: both kinds of links were met.
        #expect(counts["served", default: 0] > 0 && counts["refused", default: 0] > 0, "\(counts)")
    }

    @Test("what git keeps for itself is known in any spelling")
    func repository() throws {
        for path in [".git", ".git/config", "a/.git", ".GIT/config", "a/.Git/x"] {
            #expect(try RelativePath(path).isInRepository, "\(path)")
        }
        for path in [".gitignore", "git", ".github/x", "a.git/x", "Ngit"] {
            #expect(try !RelativePath(path).isInRepository, "\(path)")
        }
    }

    @Test("a file is read in parts, and its version changes with it")
    func parts() throws {
        let tree = try TemporaryTree()
        try tree.file("a", "0123456789")
        let root = try tree.root()
        let file = try root.open(RelativePath("a"))
        #expect(try file.read(from: 4, count: 3).bytes == Array("456".utf8))
        #expect(try file.read(from: 8, count: 100).bytes == Array("89".utf8))
        #expect(try file.read(from: 100, count: 100).bytes.isEmpty)
        let version = file.status.version
        try tree.file("a", "0123456780")
        #expect(try root.open(RelativePath("a")).status.version != version)
        #expect(throws: FileFault.notFile) { try root.open(RelativePath("")).read(from: 0, count: 1) }
    }
}

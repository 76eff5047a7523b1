import Foundation

/// A repository made from a seed: commits, branches, merges, renames, modes, links, odd names, a submodule, conflicts,
/// and changes that are staged or not.
struct GeneratedRepository {
    let path: String
    private let sandbox: Sandbox
    private var random: Random
    private var files: [String] = []

    struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }

    private static let names = [
        "a.txt", "dir/b.txt", "dir/deep/c", "-dash", "--flag", "sp ace", "tab\tname", "new\nline", "quo\"te",
        "back\\slash",
        "Ünïcode", "*.glob", ":(top)magic", "[x]", "日本", "dir/-d", "x => y", "{a}", "end ", "#c",
    ]

    init(_ seed: Int, _ sandbox: Sandbox) throws {
        self.sandbox = sandbox
        random = Random(state: UInt64(seed) &* 7919 &+ 13)
        path = try sandbox.repository("r\(seed)")
        // A repository without a commit.
        if seed % 10 == 9 {
            for _ in 0..<4 { try change() }
            return
        }
        for _ in 0..<Int.random(in: 2...5, using: &random) {
            for _ in 0..<Int.random(in: 1...4, using: &random) { try change() }
            try commit()
        }
        if seed % 3 == 0 { try branchAndMerge(conflicts: seed % 6 == 0) }
        if seed % 7 == 3 { try submodule() }
        if seed % 8 == 5 { try sandbox.git(["checkout", "-q", "--detach"], in: path) }
        if seed % 5 == 2 { try upstream() }
        try disturb()
    }

    private mutating func lines() -> String {
        (0..<Int.random(in: 0...30, using: &random))
            .map { "line \($0) \(Int.random(in: 0...4, using: &random))\n" }.joined()
            + (Bool.random(using: &random) ? "no end" : "")
    }

    mutating func change() throws {
        let name = GeneratedRepository.names.randomElement(using: &random) ?? "a.txt"
        let file = path + "/" + name
        let manager = FileManager.default
        switch Int.random(in: 0...9, using: &random) {
        case 0 where files.contains(name): try? manager.removeItem(atPath: file)
        case 1 where files.contains(name):
            let mode = Bool.random(using: &random) ? 0o755 : 0o644
            try? manager.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        case 2:
            try? manager.removeItem(atPath: file)
            try? manager.createDirectory(
                atPath: URL(fileURLWithPath: file).deletingLastPathComponent().path,
                withIntermediateDirectories: true
            )
            try? manager.createSymbolicLink(atPath: file, withDestinationPath: "somewhere \(name.count)")
            files.append(name)
        case 3:
            let other = "moved/\(Int.random(in: 0...3, using: &random))"
            try manager.createDirectory(atPath: path + "/moved", withIntermediateDirectories: true)
            try? manager.removeItem(atPath: path + "/" + other)
            try? manager.moveItem(atPath: file, toPath: path + "/" + other)
            files.append(other)
        case 4:
            var bytes = Data(count: 300)
            for index in 0..<300 { bytes[index] = UInt8.random(in: 0...255, using: &random) }
            bytes[0] = 0
            try? manager.removeItem(atPath: file)
            try "".write(toFile: file)
            try bytes.write(to: URL(fileURLWithPath: file))
            files.append(name)
        default:
            if (try? manager.attributesOfItem(atPath: file)[.type] as? FileAttributeType) == .typeSymbolicLink {
                try manager.removeItem(atPath: file)
            }
            try lines().write(toFile: file)
            files.append(name)
        }
    }

    func commit() throws {
        try sandbox.git(["add", "-A"], in: path)
        try sandbox.git(["commit", "-q", "--allow-empty", "-m", "Change ü \(files.count)"], in: path)
    }

    private mutating func branchAndMerge(conflicts: Bool) throws {
        try sandbox.git(["checkout", "-q", "-b", "feature/x"], in: path)
        try "one\ntheirs\n".write(toFile: path + "/merge.txt")
        try lines().write(toFile: path + "/feature")
        try commit()
        try sandbox.git(["checkout", "-q", "main"], in: path)
        if conflicts { try "one\nours\n".write(toFile: path + "/merge.txt") }
        try lines().write(toFile: path + "/other")
        try commit()
        try sandbox.git(["merge", "-q", "--no-edit", "feature/x"], in: path, allowsFailure: conflicts)
        try sandbox.git(["tag", "v\(files.count)"], in: path)
    }

    private func submodule() throws {
        let other = try sandbox.repository("sub-of-" + URL(fileURLWithPath: path).lastPathComponent)
        try "s\n".write(toFile: other + "/s")
        try sandbox.git(["add", "-A"], in: other)
        try sandbox.git(["commit", "-q", "-m", "s"], in: other)
        try sandbox.git(["submodule", "--quiet", "add", other, "sub"], in: path, allowsFailure: true)
        try sandbox.git(["commit", "-q", "--allow-empty", "-m", "submodule"], in: path, allowsFailure: true)
        try "changed\n".write(toFile: path + "/sub/s")
    }

    private func upstream() throws {
        let bare = path + "-bare"
        try sandbox.git(["clone", "-q", "--bare", path, bare], in: sandbox.root)
        try sandbox.git(["remote", "add", "origin", bare], in: path)
        try sandbox.git(["fetch", "-q", "origin"], in: path)
        try sandbox.git(["branch", "-q", "--set-upstream-to=origin/main", "main"], in: path)
        try "ahead\n".write(toFile: path + "/ahead")
        try commit()
    }

    /// Changes that are staged, changed again, or not staged.
    private mutating func disturb() throws {
        for _ in 0..<Int.random(in: 0...4, using: &random) { try change() }
        if Bool.random(using: &random), try sandbox.text(["ls-files", "-u"], in: path).isEmpty {
            try sandbox.git(["add", "-A", "--", ":!sub"], in: path, allowsFailure: true)
        }
        for _ in 0..<Int.random(in: 1...6, using: &random) { try change() }
        try "fresh\n".write(toFile: path + "/untracked/one")
        try "fresh\n".write(toFile: path + "/untracked/-two")
    }
}

/// All that a command may have changed in a repository.
struct Snapshot: Equatable {
    var files: [String: Data]
    var index: Data
    var head: Data
    var status: Data

    init(_ path: String, _ sandbox: Sandbox) throws {
        files = try Snapshot.files(in: path)
        index = try sandbox.git(["ls-files", "-s", "-z"], in: path)
        head = try sandbox.git(["for-each-ref"], in: path)
        status = try sandbox.git(["status", "--porcelain=v1", "-z", "-uall"], in: path)
    }

    /// Kind, permissions and contents of each file of the work tree. Directories count only by what they contain.
    static func files(in path: String) throws -> [String: Data] {
        var files: [String: Data] = [:]
        let manager = FileManager.default
        guard let names = manager.enumerator(atPath: path) else { return files }
        for case let name as String in names {
            if name == ".git" || name.hasPrefix(".git/") || name.contains("/.git/") || name.hasSuffix("/.git") {
                continue
            }
            var status = stat()
            guard lstat(path + "/" + name, &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFLNK:
                let target = try manager.destinationOfSymbolicLink(atPath: path + "/" + name)
                files[name] = Data("link \(target)".utf8)
            case S_IFREG:
                let mode = status.st_mode & 0o100 != 0 ? "x" : "-"
                files[name] = Data(mode.utf8) + (manager.contents(atPath: path + "/" + name) ?? Data())
            default: break
            }
        }
        return files
    }
}

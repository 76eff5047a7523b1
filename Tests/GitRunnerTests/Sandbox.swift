import Foundation
import GitRunner
import JSON

/// A directory with repositories, and the program git to compare with.
final class Sandbox: @unchecked Sendable {
    let root: String
    let state: String
    /// The folders that a person trusts; nil: all.
    var trusted: Set<String>?
    var secrets: Set<String> = []
    /// Milliseconds since 1970.
    var now: Int64 = 1_800_000_000_000
    var discardCapacity: Int?

    static let program =
        ["/usr/bin/git", "/usr/local/bin/git", "/bin/git"]
        .first { FileManager.default.isExecutableFile(atPath: $0) } ?? "/usr/bin/git"

    init() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("git-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: directory + "/root", withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: directory + "/state", withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: directory + "/home", withIntermediateDirectories: true)
        let real = realpath(directory, nil).map { String(cString: $0) } ?? directory
        (root, state) = (real + "/root", real + "/state")
        let identity = "[user]\n\tname = A Person\n\temail = person@example.com\n[init]\n\tdefaultBranch = main\n"
        try (identity + "[protocol \"file\"]\n\tallow = always\n").write(toFile: real + "/home/.gitconfig")
    }

    deinit { try? FileManager.default.removeItem(atPath: URL(fileURLWithPath: root).deletingLastPathComponent().path) }

    var environment: [String] {
        let base = URL(fileURLWithPath: root).deletingLastPathComponent().path
        return ["HOME=\(base)/home", "PATH=/usr/local/bin:/usr/bin:/bin", "TZ=UTC"]
    }

    var settings: GitSettings {
        let (root, trusted, secrets, now) = (root, trusted, secrets, now)
        var settings = GitSettings(
            program: Sandbox.program,
            environment: environment,
            stateDirectory: state,
            isWithinRoots: { $0 == root || $0.hasPrefix(root + "/") },
            trusts: { trusted?.contains($0) ?? true },
            hides: { path in secrets.contains { path.hasSuffix("/" + $0) } },
            now: { now }
        )
        if let discardCapacity { settings.discardCapacity = discardCapacity }
        return settings
    }

    func run(_ request: GitRequest, in directory: String, _ service: GitService = GitService()) async throws
        -> JSONValue
    {
        try await service.run(request, in: directory, settings)
    }

    /// Runs git itself, as a person would.
    @discardableResult
    func git(_ words: [String], in directory: String, allowsFailure: Bool = false) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Sandbox.program)
        process.arguments = words
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        var table: [String: String] = ["LC_ALL": "C"]
        for entry in environment {
            let parts = entry.split(separator: "=", maxSplits: 1).map(String.init)
            table[parts[0]] = parts[1]
        }
        process.environment = table
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        let said = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        if process.terminationStatus != 0, !allowsFailure {
            throw Failure(words: words, said: String(decoding: said, as: UTF8.self))
        }
        return data
    }

    func text(_ words: [String], in directory: String) throws -> String {
        String(decoding: try git(words, in: directory), as: UTF8.self)
    }

    /// A new repository.
    func repository(_ name: String = "repo") throws -> String {
        let path = root + "/" + name
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try git(["init", "-q"], in: path)
        return path
    }

    struct Failure: Error, CustomStringConvertible {
        var words: [String]
        var said: String
        var description: String { "git \(words.joined(separator: " ")): \(said)" }
    }
}

extension String {
    func write(toFile path: String) throws {
        try FileManager.default.createDirectory(
            atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path,
            withIntermediateDirectories: true
        )
        try Data(utf8).write(to: URL(fileURLWithPath: path))
    }
}

extension JSONValue {
    /// The strings of a member, or a member of the objects in it.
    func list(_ name: String, _ member: String? = nil) -> [String] {
        (self[name]?.array ?? []).compactMap { item in
            guard let member else { return item.string }
            return item[member]?.string
        }
    }
}

extension GitPath {
    init(_ text: String) throws { try self.init(checking: Array(text.utf8)) }
}

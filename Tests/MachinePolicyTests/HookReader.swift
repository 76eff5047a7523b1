import Foundation
import JSON

/// Runs the awk programs of the hooks, which read the same approvals file.
struct HookReader {
    private static let hooks = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "hooks")

    let directory = FileManager.default.temporaryDirectory.appending(path: "policy-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true) }

    func remove() { try? FileManager.default.removeItem(at: directory) }

    struct Done {
        var code: Int32
        var output: String
        var errors: String
    }

    /// The words that the hook sends as X-Hold-Policy.
    func words(_ hook: JSONValue, approvals: String?, headless: Bool, now: String, home: String) throws -> String {
        var file = ""
        if let approvals { file = try write("approvals", Array(approvals.utf8)) }
        let done = try run(
            [
                "json", "values", "shell", "quotes", "arithmetic", "words", "risk", "commands", "options", "exact",
                "approvals", "policy",
            ],
            [
                "MODE": "words", "APPROVALS": file, "UNREADABLE": "", "PROJECT": "", "NOW": now,
                "HEADLESS": headless ? "yes" : "", "HOME": home,
            ],
            input: bytes(hook)
        )
        guard done.code == 0 else { return "exit \(done.code): \(done.errors)" }
        return done.output.split(separator: "\n", omittingEmptySubsequences: false).first.map(String.init) ?? ""
    }

    /// What the hook prints for an answer: exit 0 with output, or 4 with a reason.
    func answer(_ hook: JSONValue, _ output: JSONValue, settled: String) throws -> Done {
        let post = try write("post", bytes(.object([("data", hook)])))
        let answer = try write("answer", bytes(.object([("hookSpecificOutput", output)])))
        return try run(
            [
                "json", "values", "shell", "quotes", "arithmetic", "words", "risk", "commands", "options", "exact",
                "permissions", "answer",
            ],
            ["POST": post, "ANSWER": answer, "SETTLED": settled, "DIRECTORY": ""],
            input: []
        )
    }

    private func bytes(_ value: JSONValue) -> [UInt8] {
        var writer = JSONWriter()
        writer.value(value)
        return writer.bytes
    }

    private func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = directory.appending(path: name)
        try Data(bytes).write(to: file)
        return file.path
    }

    private func run(_ programs: [String], _ environment: [String: String], input: [UInt8]) throws -> Done {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/awk")
        process.arguments = programs.flatMap { ["-f", HookReader.hooks.appending(path: "lib/\($0).awk").path] }
        process.environment = environment.merging(
            ["LC_ALL": "C", "PATH": "/usr/bin:/bin", "RISKS": HookReader.hooks.appending(path: "risk.tsv").path]
        ) { own, _ in own }
        let errors = directory.appending(path: "errors")
        let given = directory.appending(path: "given")
        try Data().write(to: errors)
        try Data(input).write(to: given)
        let pipe = Pipe()
        process.standardInput = try FileHandle(forReadingFrom: given)
        process.standardOutput = pipe
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Done(
            code: process.terminationStatus,
            output: String(decoding: output, as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self)
        )
    }
}

func json(_ text: String) -> JSONValue {
    do { return try JSONValue.parse(Array(text.utf8)) } catch { preconditionFailure("\(error): \(text)") }
}

import ClaudeRunner
import Foundation
import JSON

/// A directory with a project, for one session of the scripted client.
final class Sandbox: Sendable {
    static let client = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("scripted_client.py").path

    let root: String
    let sessionID = UUID().uuidString.lowercased()

    var project: String { root + "/project" }
    var stateDirectory: String { "\(root)/\(sessionID)" }

    init() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("runner-\(UUID().uuidString)")
        let path = directory.path + "/project"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        root = realpath(directory.path, nil).map { String(cString: $0) } ?? directory.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: root)
    }

    /// - Parameter client: how the scripted client behaves.
    func start(_ client: String = "", change: (inout ClaudeStart) -> Void = { _ in }) async throws -> ClaudeSession {
        var start = ClaudeStart(
            sessionID: sessionID,
            directory: project,
            executable: Sandbox.client,
            environment: ["PATH=/usr/local/bin:/usr/bin:/bin", "HOME=\(root)", "CLIENT=\(client)"],
            stateDirectory: stateDirectory
        )
        change(&start)
        return try await ClaudeSession.start(start)
    }

    /// The messages that the client took: id, length and beginning of each.
    var received: [String] {
        let text = try? String(contentsOfFile: project + "/received", encoding: .utf8)
        return (text ?? "").split(separator: "\n").map(String.init)
    }

    var state: RunnerState? { RunnerState.read(in: stateDirectory) }

    static func message() -> String { UUID().uuidString.lowercased() }
}

/// The events of a session, one after the other.
final class EventReader {
    private var iterator: AsyncStream<ClaudeSessionEvent>.Iterator
    private(set) var seen: [ClaudeSessionEvent] = []

    init(_ session: ClaudeSession) {
        iterator = session.events.makeAsyncIterator()
    }

    /// The next event for which `match` has a value. nil: there was none until the end.
    func next<Value>(_ match: (ClaudeSessionEvent) -> Value?) async -> Value? {
        while let event = await iterator.next() {
            seen.append(event)
            if let value = match(event) { return value }
        }
        return nil
    }

    func prompt() async -> OpenPrompt? {
        await next { if case .promptOpened(let prompt) = $0 { prompt } else { nil } }
    }

    func turn() async -> TurnEnd? {
        await next { if case .turnEnded(let end) = $0 { end } else { nil } }
    }

    func exit() async -> (code: Int32?, signal: Int32?)? {
        await next { if case .exited(let code, let signal, _) = $0 { (code, signal) } else { nil } }
    }

    /// All text of the next message.
    func text() async -> String? {
        var text = ""
        return await next { event in
            switch event {
            case .partial(_, let more, let replaces): text = replaces ? more : text + more
            case .partialClosed: return text
            default: break
            }
            return nil
        }
    }
}

func isRunning(_ pid: Int32) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return false }
    return !text.split(separator: ")").last!.hasPrefix(" Z")
}

/// Waits for something that another process does.
func eventually(_ condition: () -> Bool) async throws -> Bool {
    for _ in 0..<1000 {
        if condition() { return true }
        try await Task.sleep(for: .milliseconds(20))
    }
    return false
}

package import EventModel
internal import JSON

/// Which tool call of which session wrote a file, as far as hooks say so: the file changed between the hooks before and
/// after a call of Edit, Write or NotebookEdit that names it. Nothing is guessed: if two calls fit, or the hook after
/// the call does not come, the change has no author. Pure; times are those of the machine's clock.
package struct FileAuthors {
    package struct Author: Sendable, Equatable {
        package var sessionID: String
        package var toolUseID: String
        package var tool: String
    }

    private struct File: Hashable {
        var machine: MachineID
        var path: String
    }

    private struct Call {
        var author: Author
        var began: Timestamp
        /// `nil`: the tool has not finished.
        var ended: Timestamp?
    }

    /// Seconds before its hook that a tool may have begun, if the hook before it was not seen.
    private static let longestCall = 2.0
    /// Seconds by which the times of hooks and of the file system may differ.
    private static let slack = 0.3
    /// Seconds for which calls are remembered, and how many.
    private static let keptSeconds = 600.0
    private static let mostCalls = 4096
    private static let tools: Set<String> = ["Edit", "Write", "NotebookEdit", "MultiEdit"]

    private var calls: [File: [Call]] = [:]
    private var count = 0

    package init() {}

    /// Whether the event says something about the author of a file.
    package static func matters(_ event: MonitorEvent) -> Bool {
        guard let tool = event.toolName, tools.contains(tool) else { return false }
        return switch event.hookEventName?.known {
        case .preToolUse, .postToolUse, .postToolUseFailure: true
        default: false
        }
    }

    package mutating func note(_ event: MonitorEvent) {
        guard FileAuthors.matters(event), let session = event.sessionID, let tool = event.toolName,
            let use = event.facts.toolUseID
        else { return }
        let input = (try? JSONValue.parse(event.payload, maxDepth: 512))?["tool_input"]
        guard let path = input?["file_path"]?.string ?? input?["notebook_path"]?.string, path.hasPrefix("/") else {
            return
        }
        let file = File(machine: event.machine, path: path)
        let author = Author(sessionID: session, toolUseID: use, tool: tool)
        prune(event.timestamp)
        var known = calls[file] ?? []
        let index = known.firstIndex { $0.author == author }
        switch event.hookEventName?.known {
        case .preToolUse:
            guard index == nil else { return }
            known.append(Call(author: author, began: event.timestamp))
        case .postToolUse:
            if let index {
                known[index].ended = event.timestamp
            } else {
                let began = event.timestamp.adding(seconds: -FileAuthors.longestCall)
                known.append(Call(author: author, began: began, ended: event.timestamp))
            }
        default: if let index { known.remove(at: index) }
        }
        calls[file] = known.isEmpty ? nil : known
    }

    /// - Parameters:
    ///   - path: absolute, as hooks name it.
    ///   - from: when the first of the changes happened that were told together; `to`: the last.
    package func author(
        of path: String,
        on machine: MachineID,
        from: Timestamp,
        to: Timestamp
    ) -> Author? {
        let fitting = (calls[File(machine: machine, path: path)] ?? []).filter { call in
            guard let ended = call.ended else { return false }
            return call.began.seconds(since: to) <= FileAuthors.slack && from.seconds(since: ended) <= FileAuthors.slack
        }
        return fitting.count == 1 ? fitting[0].author : nil
    }

    /// Whether a call that names the file has begun and not ended.
    package func isExpected(_ path: String, on machine: MachineID) -> Bool {
        (calls[File(machine: machine, path: path)] ?? []).contains { $0.ended == nil }
    }

    private mutating func prune(_ now: Timestamp) {
        count += 1
        guard count >= FileAuthors.mostCalls / 4 else { return }
        count = 0
        for (file, known) in calls {
            let kept = known.filter { now.seconds(since: $0.ended ?? $0.began) < FileAuthors.keptSeconds }
            calls[file] = kept.isEmpty ? nil : kept
        }
        if calls.count > FileAuthors.mostCalls { calls = [:] }
    }
}

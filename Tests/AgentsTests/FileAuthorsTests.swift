import EventModel
import JSON
import RPC
import Testing

@testable import Agents

struct FileAuthorsTests {
    private var changes = WaitingChanges()
    private let desk = MachineID(rawValue: 1)

    private func time(_ seconds: Double) -> Timestamp { Timestamp(microseconds: 0).adding(seconds: 1000 + seconds) }

    private func hook(
        _ name: HookEventName.Known,
        at seconds: Double,
        _ path: String = "/w/a.txt",
        tool: String = "Edit",
        use: String = "t1",
        session: String = "s"
    ) -> MonitorEvent {
        MonitorEvent(
            id: EventID(name: "\(name) \(seconds) \(use)", machine: desk),
            type: .tool,
            hookEventName: .known(name),
            timestamp: time(seconds),
            receivedAt: time(seconds),
            machine: desk,
            machineName: "desk",
            sessionID: session,
            projectPath: "/w",
            toolName: tool,
            summary: "",
            payload: Array(#"{"tool_input":{"file_path":"\#(path)"}}"#.utf8),
            facts: SessionFacts(toolUseID: use)
        )
    }

    private mutating func change(_ path: String = "a.txt", from: Double, to: Double, now: Double = 0) throws {
        let params = JSONValue.object([
            ("workspace_id", .string("w")), ("directory", .string("/w")),
            ("changes", .array([.object([("path", .string(path)), ("change", .string("modified"))])])),
            ("from", .string(time(from).description)), ("to", .string(time(to).description)),
        ])
        changes.add(try AgentFileChanges(try RPCParams(params)), on: desk, now: time(now))
    }

    private mutating func author(at now: Double) -> FileAuthors.Author? { changes.due(time(now)).first?.author }

    @Test("a change between the hooks of a call belongs to it, whichever comes first")
    mutating func between() throws {
        changes.note(hook(.preToolUse, at: 0))
        try change(from: 0.1, to: 0.2)
        #expect(changes.due(time(0)).isEmpty)
        changes.note(hook(.postToolUse, at: 0.25))
        let expected = FileAuthors.Author(sessionID: "s", toolUseID: "t1", tool: "Edit")
        #expect(author(at: 0) == expected)
        // The hook came before the agent's word.
        try change(from: 0.15, to: 0.2)
        #expect(author(at: 0) == expected)
    }

    @Test("without a hook the change has no author, and does not wait long")
    mutating func nobody() throws {
        try change(from: 0.1, to: 0.2)
        #expect(changes.deadline == time(WaitingChanges.seconds))
        let told = changes.due(time(WaitingChanges.seconds))
        #expect(told.count == 1 && told[0].author == nil && changes.deadline == nil)
    }

    @Test("a tool that was begun and has not ended makes no author, but the change waits longer")
    mutating func denied() throws {
        changes.note(hook(.preToolUse, at: 0))
        try change(from: 0.1, to: 0.2)
        #expect(changes.deadline == time(WaitingChanges.longSeconds))
        changes.note(hook(.postToolUseFailure, at: 0.3))
        #expect(author(at: WaitingChanges.longSeconds) == nil)
    }

    @Test("another time, another file, another machine, another tool")
    mutating func others() throws {
        changes.note(hook(.preToolUse, at: 0))
        changes.note(hook(.postToolUse, at: 0.2))
        changes.note(hook(.postToolUse, at: 30, "/w/b.txt", tool: "Bash"))
        try change(from: 5, to: 5.1)
        #expect(author(at: 10) == nil)
        try change("b.txt", from: 30, to: 30)
        #expect(author(at: 60) == nil)
    }

    @Test("if two calls fit, nobody is named")
    mutating func two() throws {
        changes.note(hook(.postToolUse, at: 0.2))
        changes.note(hook(.postToolUse, at: 0.3, use: "t2", session: "other"))
        try change(from: 0.1, to: 0.2)
        #expect(author(at: 10) == nil)
    }
}

struct GitTrackersTests {
    private let trackers = GitTrackers()
    private let desk = MachineID(rawValue: 1)

    private func time(_ seconds: Double) -> Timestamp { Timestamp(microseconds: 0).adding(seconds: 1000 + seconds) }

    private func change(_ state: String, branch: String? = nil, error: String = "") throws -> AgentGitChange {
        var members: [(String, JSONValue)] = [
            ("workspace_id", .string("w")), ("state", .string(state)), ("error", .string(error)),
        ]
        if let branch { members.append(("status", .object([("branch", .string(branch))]))) }
        return try AgentGitChange(try RPCParams(.object(members)))
    }

    @Test("only another state than the last is news; a failure is kept until git answers again")
    func news() throws {
        var news: [Bool] = []
        for change in try [
            change("healthy", branch: "main"), change("healthy", branch: "main"), change("healthy", branch: "topic"),
            change("unhealthy", error: "broken"), change("healthy", branch: "topic"),
        ] {
            news.append(trackers.note(change, on: desk, now: time(0)))
            if change.state == .unhealthy { #expect(trackers.tracker(of: "w", now: time(0))?.error == "broken") }
        }
        #expect(news == [false, false, true, false, true])
        #expect(trackers.tracker(of: "w", now: time(0))?.state == .healthy)
    }

    @Test("a status that nobody keeps up to date is forgotten after a while")
    func age() throws {
        _ = trackers.note(try change("healthy", branch: "main"), on: desk, now: time(0))
        #expect(trackers.tracker(of: "w", now: time(500))?.status != nil)
        trackers.watched([], on: desk, now: time(500))
        #expect(trackers.tracker(of: "w", now: time(550))?.status != nil)
        #expect(trackers.tracker(of: "w", now: time(600))?.status == nil)
        #expect(trackers.tracker(of: "w", now: time(600))?.state == .healthy)
    }

    @Test("the answer to a question counts its lists")
    func answers() {
        let status = JSONValue.object([
            ("branch", .string("main")), ("staged", .array([.object([])])), ("conflicted", .array([.object([])])),
            ("remotes", .array([.string("origin")])),
        ])
        trackers.note(status: status, of: "w", on: desk, now: time(0))
        let kept = trackers.tracker(of: "w", now: time(0))?.status
        #expect(kept?["staged_count"] == .integer(1) && kept?["unstaged_count"] == .integer(1))
        #expect(kept?["has_remotes"] == .bool(true) && kept?["staged"] == nil)
        trackers.forget("w")
        #expect(trackers.tracker(of: "w", now: time(0)) == nil)
    }
}

import EventModel
import Testing

@testable import Sessions

@Suite("Since when a state holds, and who says so")
struct StateSinceTests {
    private func since(_ story: Story) throws -> Timestamp { try story.session.stateSince }

    private func report(_ type: EventType, at seconds: Int64, id: UInt64, _ change: (inout SessionFacts) -> Void)
        -> MonitorEvent
    {
        var event = Story.event(.stop, at: seconds, id: id)
        event.type = type
        event.hookEventName = nil
        change(&event.facts)
        return event
    }

    @Test("a turn runs since its prompt, waits since its request, and runs again since the answer")
    func turn() throws {
        var story = Story()
        story.add(.sessionStart, at: 0) { $0.facts.detail = "startup" }
        #expect(try since(story) == Story.time(0))
        story.add(.userPromptSubmit, at: 10)
        story.add(.preToolUse, at: 12, tool: "Bash", input: 1)
        #expect(try since(story) == Story.time(10))
        story.add(.permissionRequest, at: 13, tool: "Bash", input: 1)
        #expect(try since(story) == Story.time(13))
        story.add(.postToolUse, at: 20, tool: "Bash", input: 1)
        #expect(try story.session.state == .running)
        #expect(try since(story) == Story.time(20))
        story.add(.stop, at: 30)
        story.add(.sessionStart, at: 31) { $0.facts.detail = "resume" }
        #expect(try since(story) == Story.time(30))
        story.add(.sessionEnd, at: 40) { $0.facts.detail = "other" }
        #expect(try since(story) == Story.time(40))
        #expect(try story.session.stateSource == .hooks)
    }

    @Test("a long turn keeps its beginning")
    func longTurn() throws {
        var story = Story()
        story.add(.stop, at: 0)
        for second: Int64 in 1...100 { story.add(.preToolUse, at: second, tool: "Bash", input: 1) }
        #expect(try since(story) == Story.time(1))
        #expect(story.fold.activity.moments.count == ActivityHistory.maximumMoments)
    }

    @Test("a late event moves the beginning")
    func late() throws {
        var story = Story()
        story.add(.userPromptSubmit, at: 1)
        story.add(.preToolUse, at: 5, tool: "Bash", input: 1)
        story.add(.preToolUse, at: 7, tool: "Bash", input: 2)
        story.add(.stop, at: 4)
        #expect(try since(story) == Story.time(5))
    }

    @Test("an interruption that a line tells, and one that the client's own status tells")
    func interrupted() throws {
        for (detail, source) in [("interrupted", Session.StateSource.transcript), ("idle", .heartbeat)] {
            var story = Story()
            story.add(.userPromptSubmit, at: 1)
            _ = story.take(report(.sessionInterrupted, at: 5, id: 77) { $0.detail = detail })
            let session = try story.session
            #expect((session.state, session.stateSource, session.stateSince) == (.idle, source, Story.time(5)))
            story.add(.userPromptSubmit, at: 6)
            #expect(try story.session.stateSource == .hooks)
        }
    }

    @Test("a refusal at the terminal that telemetry tells ends the turn; a rule's does not")
    func refused() throws {
        for (refuser, state) in [("user_reject", Session.State.idle), ("config", .running)] {
            var story = Story()
            story.add(.userPromptSubmit, at: 1)
            story.add(.preToolUse, at: 2, tool: "Bash", input: 1) { $0.facts.toolUseID = "toolu_1" }
            story.add(.permissionRequest, at: 3, tool: "Bash", input: 1)
            let told = report(.telemetry, at: 8, id: 77) { facts in
                facts.toolUseID = "toolu_1"
                var report = SessionReport()
                report.refusedBy = refuser
                facts.report = report
            }
            _ = story.take(told)
            let session = try story.session
            #expect((session.state, session.stateSource, session.stateSince) == (state, .otel, Story.time(8)))
            // With typed feedback the turn goes on.
            story.add(.postToolBatch, at: 9)
            #expect(try (story.session.state, story.session.stateSource) == (.running, .hooks))
        }
    }

    @Test("a silent machine is unknown since it was last heard from")
    func away() throws {
        var story = Story()
        story.add(.userPromptSubmit, at: 1)
        var session = try story.session
        session.machineIsAway(since: Story.time(50))
        #expect((session.state, session.stateSource, session.stateSince) == (.unknown, .heartbeat, Story.time(50)))
    }

    @Test("moments survive storage, and anything else is none")
    func storage() {
        #expect(ActivityHistory.moments(stored: "").isEmpty)
        for text in ["x", "R", "Q5", "R-"] { #expect(ActivityHistory.moments(stored: text).isEmpty) }
    }
}

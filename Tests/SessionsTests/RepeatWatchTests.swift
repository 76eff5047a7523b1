import EventModel
import Testing

@testable import Sessions

@Suite("Stuck loops")
struct RepeatWatchTests {
    private func story(_ steps: [(HookEventName.Known, UInt64, UInt64)], agent: String? = nil) -> Story {
        var story = Story()
        for (second, (name, input, error)) in steps.enumerated() {
            story.add(name, at: Int64(second), tool: "Bash", input: input, agent: agent) { event in
                if name == .postToolUseFailure { event.facts.errorHash = error }
            }
        }
        return story
    }

    @Test("the third equal failure makes a loop, which says since when")
    func three() throws {
        let failure = (HookEventName.Known.postToolUseFailure, UInt64(7), UInt64(9))
        #expect(try story([failure, failure]).session.loop == nil)
        let loop = try #require(try story([failure, failure, failure, failure]).session.loop)
        #expect(loop.toolName == "Bash")
        #expect(loop.count == 4)
        #expect(loop.since == Story.time(0))
        #expect(loop.agentID == nil)
    }

    @Test("another input, another error, a success, a prompt or the end of the turn is progress")
    func progress() throws {
        let same = (HookEventName.Known.postToolUseFailure, UInt64(7), UInt64(9))
        let steps: [(HookEventName.Known, UInt64, UInt64)] = [
            (.postToolUseFailure, 8, 9), (.postToolUseFailure, 7, 10), (.postToolUse, 7, 0), (.userPromptSubmit, 0, 0),
            (.stop, 0, 0), (.sessionStart, 0, 0),
        ]
        for step in steps {
            #expect(try story([same, same, same, step]).session.loop == nil, "\(step)")
            #expect(try story([same, same, step, same]).session.loop == nil, "\(step)")
            #expect(try story([same, step, same, same, same]).session.loop?.count == 3, "\(step)")
        }
    }

    @Test("what another agent does is no progress of this one")
    func agents() throws {
        var story = Story()
        for second in 0..<4 {
            story.add(.postToolUseFailure, at: Int64(2 * second), tool: "Edit", input: 1, agent: "a1") {
                $0.facts.errorHash = 5
            }
            story.add(.postToolUse, at: Int64(2 * second + 1), tool: "Read", input: 1)
        }
        #expect(try story.session.loop?.agentID == "a1")
        #expect(try story.session.loop?.count == 4)
    }

    @Test("the order of arrival does not matter, and what is stored is read again")
    func order() throws {
        var events: [MonitorEvent] = []
        for second in 0..<12 {
            let name: HookEventName.Known = second == 5 ? .postToolUse : .postToolUseFailure
            var event = Story.event(name, at: Int64(second), id: UInt64(second))
            event.toolName = "Bash"
            event.facts.toolInputHash = 1
            if name == .postToolUseFailure { event.facts.errorHash = 2 }
            events.append(event)
        }
        let told = Story(events).fold
        #expect(told.repeats.loop?.count == 6)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            let shuffled = Story(events.shuffled(using: &random)).fold
            #expect(shuffled.repeats == told.repeats)
        }
        #expect(SessionState(id: "s1", stored: told.stored())?.repeats == told.repeats)
    }
}

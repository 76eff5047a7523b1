import EventModel
import JSON
import Testing

@testable import Sessions

@Suite("Changes by a person")
struct SessionChangeTests {
    private static func changed(at second: Int64, id: UInt64, _ set: (inout SessionChange) -> Void) -> MonitorEvent {
        var change = SessionChange()
        set(&change)
        var payload = JSONWriter()
        payload.beginObject()
        change.write(to: &payload)
        payload.endObject()
        var event = Story.event(.stop, at: second, id: id)
        (event.type, event.hookEventName, event.payload) = (.sessionChanged, nil, payload.bytes)
        return event
    }

    private static func prompted(at second: Int64, id: UInt64) -> MonitorEvent {
        var event = Story.event(.userPromptSubmit, at: second, id: id)
        event.summary = "fix it"
        return event
    }

    @Test("an event has the change that it was made of")
    func roundTrip() {
        for title in [nil, "", "A name"] as [String?] {
            for flag in [nil, true, false] {
                var change = SessionChange()
                (change.title, change.isPinned, change.isArchived) = (title, flag, flag)
                change.model = title
                #expect(SessionChange(SessionChangeTests.changed(at: 1, id: 1) { $0 = change }) == change)
            }
        }
    }

    @Test("a hook's event is no change, whatever it contains")
    func forged() {
        var event = SessionChangeTests.changed(at: 1, id: 1) { $0.isArchived = true }
        event.hookEventName = .known(.stop)
        #expect(SessionChange(event) == nil)
    }

    @Test("a name counts until it is removed, and neither is activity")
    func renamed() throws {
        var story = Story([SessionChangeTests.prompted(at: 1, id: 1)])
        let before = try story.session.lastActivityAt
        _ = story.take(SessionChangeTests.changed(at: 5, id: 2) { $0.title = "Mine" })
        #expect(try story.session.title == "Mine")
        #expect(try story.session.titleSource == .person)
        _ = story.take(SessionChangeTests.changed(at: 6, id: 3) { $0.title = "" })
        #expect(try story.session.title == "fix it")
        #expect(try story.session.titleSource == .prompt)
        #expect(try story.session.lastActivityAt == before)
    }

    @Test("the next prompt brings an archived session back, and an earlier one that arrives late does not")
    func archived() throws {
        let archive = SessionChangeTests.changed(at: 5, id: 2) { $0.isArchived = true }
        var story = Story([SessionChangeTests.prompted(at: 1, id: 1), archive])
        #expect(try story.session.isArchived)
        story.add(.postToolUse, at: 6, tool: "Bash")
        #expect(try story.session.isArchived)
        _ = story.take(SessionChangeTests.prompted(at: 4, id: 8))
        #expect(try story.session.isArchived)
        _ = story.take(SessionChangeTests.prompted(at: 7, id: 9))
        #expect(try !story.session.isArchived)
    }

    @Test("the stored state keeps pin and archive")
    func stored() throws {
        let change = SessionChangeTests.changed(at: 5, id: 2) {
            $0.isPinned = true; $0.isArchived = true
        }
        let story = Story([SessionChangeTests.prompted(at: 1, id: 1), change])
        let again = try #require(SessionState(id: "s1", stored: story.fold.stored()))
        #expect(again == story.fold)
        #expect(try #require(again.session).isPinned)
    }

    @Test("a parked session has not ended, whatever says that its process has")
    func parked() throws {
        var story = Story([SessionChangeTests.prompted(at: 1, id: 1)])
        _ = story.take(SessionChangeTests.changed(at: 5, id: 2) { $0.isParked = true })
        var end = Story.event(.sessionEnd, at: 6, id: 3)
        end.facts.detail = "other"
        _ = story.take(end)
        #expect(try story.session.isParked && story.session.endedAt == nil && story.session.state == .idle)
        _ = story.take(SessionChangeTests.changed(at: 7, id: 4) { $0.isParked = false })
        #expect(try !story.session.isParked && story.session.endReason == "other")
    }

    @Test("a prompt wakes a parked session, and an earlier one that arrives late does not")
    func woken() throws {
        var story = Story([SessionChangeTests.changed(at: 5, id: 2) { ($0.runner, $0.isParked) = (.agent, true) }])
        _ = story.take(SessionChangeTests.changed(at: 6, id: 3) { $0.isParked = true })
        _ = story.take(SessionChangeTests.prompted(at: 4, id: 1))
        #expect(try story.session.isParked)
        _ = story.take(SessionChangeTests.prompted(at: 7, id: 4))
        #expect(try !story.session.isParked && story.session.endedAt == nil)
    }

    @Test("the sessions before and after /clear name each other, and the reason of the end counts")
    func cleared() throws {
        var old = Story([SessionChangeTests.prompted(at: 1, id: 1)])
        _ = old.take(SessionChangeTests.changed(at: 5, id: 2) { $0.endReason = "clear" })
        _ = old.take(SessionChangeTests.changed(at: 5, id: 3) { $0.continuedBy = "new" })
        #expect(try old.session.endReason == "clear" && old.session.continuedBy == "new")
        let new = Story([SessionChangeTests.changed(at: 5, id: 4) { ($0.runner, $0.continues) = (.agent, "old") }])
        #expect(try new.session.continues == "old" && new.session.runner == .agent && new.session.endedAt == nil)
    }
}

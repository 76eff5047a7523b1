import EventModel
import JSON
import Testing

@testable import Sessions

/// What the end of a turn that no hook reports says about the prompts that were open.
struct InterruptionTests {
    private func opened() -> Story {
        var story = Story()
        story.add(.permissionRequest, at: 10, tool: "Bash", input: 1)
        return story
    }

    /// A device refuses the first prompt.
    private func deviceRefusal(at seconds: Int64) throws -> MonitorEvent {
        var event = Story.event(.stop, at: seconds, id: 76)
        (event.type, event.hookEventName) = (.promptUpdated, nil)
        let answer = PromptAnswer(id: "a-1", decision: .deny, answerer: .device, deviceID: "7", at: Story.time(seconds))
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("prompt_id", Prompt.id(EventID(high: 0, low: 0)))
        writer.field("step", "answered")
        writer.key("answer")
        answer.write(to: &writer)
        writer.endObject()
        event.payload = writer.bytes
        return event
    }

    private func interruption(_ detail: String, at seconds: Int64 = 20) -> MonitorEvent {
        var event = Story.event(.stop, at: seconds, id: 77)
        (event.type, event.hookEventName, event.facts.detail) = (.sessionInterrupted, nil, detail)
        return event
    }

    @Test("a No or Esc that only the transcript reports is a refusal; that the session is idle tells no decision")
    func refusedInTranscript() throws {
        var story = opened()
        let refused = try #require(story.take(interruption(MonitorEvent.interruptedForTool)).closed.first)
        #expect((refused.state, refused.answeredBy, refused.decision) == (.answered, .terminal, .deny))
        #expect(refused.evidence == EventID(high: 0, low: 77))
        #expect(try story.session.state == .idle)
        for detail in ["interrupted", MonitorEvent.idleByRegistry] {
            var other = opened()
            let closed = try #require(other.take(interruption(detail)).closed.first)
            #expect(closed.state == .overtaken && closed.answeredBy == nil && closed.decision == nil)
        }
    }

    @Test("a No or Esc in the transcript is not taken for an answer where another prompt may have got it")
    func refusedElsewhere() throws {
        let event = interruption(MonitorEvent.interruptedForTool)
        var two = opened()
        two.add(.permissionRequest, at: 14, tool: "Bash", input: 2)
        #expect(two.take(event).closed.map(\.state) == [.overtaken, .overtaken])
        var subagent = Story()
        subagent.add(.permissionRequest, at: 10, tool: "Bash", input: 1, agent: "a1")
        #expect(subagent.take(event).closed.isEmpty)
        var dialog = Story()
        dialog.add(.notification, at: 10) { $0.facts.detail = "permission_prompt" }
        #expect(dialog.take(event).closed.map(\.state) == [.overtaken])
        var early = opened()
        #expect(early.take(interruption(MonitorEvent.interruptedForTool, at: 9)).closed.isEmpty)
        var device = opened()
        device.add(.permissionRequest, at: 14, tool: "Bash", input: 2)
        _ = device.take(try deviceRefusal(at: 15))
        #expect(device.take(event).closed.map(\.state) == [.overtaken])
    }
}

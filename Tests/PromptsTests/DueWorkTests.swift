import EventModel
import JSON
import Testing

@testable import Prompts
@testable import Sessions

@Suite("What is due after a change")
struct DueWorkTests {
    private func time(_ seconds: Double) -> Timestamp { Timestamp(microseconds: Int64(seconds * 1_000_000)) }

    private func held(announced: Prompt.Phase) throws -> Prompt {
        var prompt = try SamplePrompt.open()
        prompt.add(PromptStep("held", at: time(1)))
        prompt.announced = announced
        return prompt
    }

    @Test("a prompt with a phase that the log does not report is announced")
    func announcements() throws {
        var due = DueWork()
        due.changed([try held(announced: .opened)]) { _ in false }
        #expect(due == DueWork())
        due.changed([try held(announced: .none)]) { _ in false }
        #expect(due.announcement && !due.notice)
        due.changed([]) { _ in false }
        #expect(due.announcement)
    }

    @Test("other servers are told of the end of a prompt for which no hook waits here, once")
    func notices() throws {
        let closed = try held(announced: .opened).closed(.gone, at: time(2), evidence: nil)
        var due = DueWork()
        due.changed([closed]) { $0 == closed.id }
        #expect(!due.notice)
        due.changed([closed]) { _ in false }
        #expect(due.notice)
        var announced = closed
        announced.announced = .closed
        var later = DueWork()
        later.changed([announced]) { _ in false }
        #expect(!later.notice)
        let unheld = try SamplePrompt.open().closed(.gone, at: time(2), evidence: nil)
        later.changed([unheld]) { _ in false }
        #expect(!later.notice)
    }

    @Test("work is taken once, an interruption not before its time")
    func taking() {
        var due = DueWork()
        (due.release, due.interruptionAt) = (true, time(5))
        let first = due.take(now: time(4))
        #expect(first.release && first.interruptionAt == nil && due.interruptionAt == time(5))
        let second = due.take(now: time(5))
        #expect(!second.release && second.interruptionAt == time(5) && due == DueWork())
    }
}

import EventModel
import JSON
import Testing

@testable import Prompts
@testable import Sessions

@Suite("Events of answers")
struct PromptEventsTests {
    private static let at = Timestamp(microseconds: 1_700_000_001_000_000)

    private func answer(_ id: String, device: String? = "3") -> PromptAnswer {
        PromptAnswer(id: id, decision: .allow, answerer: .device, deviceID: device, at: Self.at)
    }

    private func record(_ prompt: Prompt) -> PromptRecord {
        PromptRecord(prompt: prompt, machineName: "desk", reportedMachineName: nil)
    }

    private let hold = Hold(
        key: HoldKey(machine: MachineID(rawValue: 1), id: "h"),
        requestID: "prm_1",
        policy: HoldPolicy("risk=read"),
        content: HeldContent(sent: [], shown: nil),
        until: at
    )

    @Test("all answers to a prompt have one id, whoever gives them; late ones have their own")
    func ids() throws {
        let record = record(try SamplePrompt.open())
        let first = PromptEvents.answered(answer("1"), of: record, nil).map(\.id)
        #expect(first.count == 1 && first == PromptEvents.answered(answer("2", device: "4"), of: record, nil).map(\.id))
        let late = ["1", "2"].map { PromptEvents.late(answer($0), of: record).id }
        #expect(Set(late + first).count == 3)
    }

    @Test("a fast answer brings the event of the hold with it")
    func fast() throws {
        let open = try SamplePrompt.open()
        let events = PromptEvents.answered(answer("1"), of: record(open), hold)
        let steps = events.map { (try? JSONValue.parse($0.payload))?["step"]?.string }
        #expect(steps == ["held", "answered"])
        #expect(events[0].id == PromptEvents.update(record(open), .held, key: "h", at: Self.at).id)
        var held = open
        held.add(PromptStep("held", at: Self.at))
        #expect(PromptEvents.answered(answer("1"), of: record(held), hold).count == 1)
    }

    @Test("the log's first answer closes the prompt, also one of an earlier version; the next is late")
    func folded() throws {
        let open = try SamplePrompt.open()
        func event(_ answer: PromptAnswer, id: EventID? = nil) throws -> PromptUpdate {
            var event = PromptEvents.answered(answer, of: record(open), nil)[0]
            if let id { event.id = id }
            return try #require(PromptUpdate(CommittedEvent(seq: 8, event: event, workspaceID: nil)))
        }
        let former = EventID(name: "\(open.id):answered:1", machine: open.machine)
        let closed = try #require(event(answer("1"), id: former).applied(to: open))
        #expect(closed.state == .answered && closed.answer == answer("1"))
        let second = try #require(event(answer("2")).applied(to: closed))
        #expect(second.answer == answer("1") && second.lateAnswers.map(\.id) == ["2"])
    }
}

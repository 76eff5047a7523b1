import EventModel
import HTTPModel
import JSON
import Testing

@testable import Prompts
@testable import Sessions

@Suite("A request to answer a prompt")
struct AnswerAttemptTests {
    private static let id = "018f0000-0000-7000-8000-000000000001"
    private static let at = Timestamp(microseconds: 1_700_000_000_000_000)
    private let phone = (id: "3", name: "phone")

    private func attempt(
        _ body: String = #"{"decision":"allow","answer_id":"\#(id)"}"#,
        by device: (id: String, name: String)? = (id: "3", name: "phone")
    ) throws -> AnswerAttempt {
        let body = try AnswerBody(try JSONValue.parse(Array(body.utf8)))
        return AnswerAttempt(body, by: device, at: Self.at) { $0.uppercased() }
    }

    private func rules(_ policy: String = "") throws -> AnswerRules {
        let hook = #"{"tool_name":"Bash","tool_input":{"command":"ls"}}"#
        return AnswerRules(
            kind: .permission,
            hook: try JSONValue.parse(Array(hook.utf8)),
            policy: HoldPolicy(policy)
        )
    }

    private func answer(id: String = id, device: String? = "3", _ decision: Prompt.Decision = .allow) -> PromptAnswer {
        PromptAnswer(
            id: id,
            decision: decision,
            answerer: device == nil ? .operator : .device,
            deviceID: device,
            name: "phone",
            at: Self.at
        )
    }

    private func closed(_ answer: PromptAnswer?, late: [PromptAnswer] = []) throws -> Prompt {
        var prompt = try SamplePrompt.open()
            .closed(.answered(by: answer?.answerer ?? .terminal, .deny), at: Self.at, evidence: nil)
        (prompt.answer, prompt.lateAnswers) = (answer, late)
        return prompt
    }

    @Test("a judged answer has the id that the client gave it, who gives it and what it decides")
    func judged() throws {
        let (decision, answer) = try attempt().judged(by: try rules())
        #expect(decision == .allow(updatedInput: nil, permissions: []))
        #expect((answer.id, answer.deviceID, answer.answerer) == (Self.id, "3", .device))
        #expect((answer.decision, answer.scope, answer.at) == (.allow, .once, Self.at))
        let own = try attempt(#"{"decision":"deny"}"#, by: nil).judged(by: try rules()).answer
        #expect(EventID(own.id) != nil && own.answerer == .operator && own.scope == nil)
        #expect(own.said == nil)
        let said = try attempt(#"{"decision":"deny","message":"use the helper"}"#).judged(by: try rules()).answer.said
        #expect(said == "USE THE HELPER")
    }

    @Test("the machine's own rules name the devices that may answer")
    func otherDevices() throws {
        #expect(throws: APIError.otherDevicesOnly) { try attempt().judged(by: try rules("devices=4,operator")) }
        #expect(throws: Never.self) { try attempt().judged(by: try rules("devices=3")) }
    }

    @Test("the answer that the log shows as the first is this one only with the same id and device")
    func first() throws {
        #expect(try attempt().outcome(in: closed(answer())) == .first)
        // The log has what was sent first under the id.
        #expect(try attempt().outcome(in: closed(answer(.deny))) == .first)
        for other in [answer(id: "018f0000-0000-7000-8000-000000000002"), answer(device: "4"), answer(device: nil)] {
            let outcome = try attempt().outcome(in: closed(other))
            guard case .late(let late, let error, isKnown: false) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            #expect((late.id, late.deviceID, late.decision) == (Self.id, "3", .allow))
            #expect((error.status, error.code) == (409, "already_answered"))
        }
    }

    @Test("an answer that the terminal's decision preceded in the log is late, and the log knows it")
    func overtaken() throws {
        let outcome = try attempt().outcome(in: closed(nil, late: [answer()]))
        guard case .late(_, let error, isKnown: true) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(error.message.contains("answered by terminal (deny)"))
    }

    @Test("an answer to a prompt that ended without a decision is late")
    func gone() throws {
        let prompt = try SamplePrompt.open().closed(.gone, at: Self.at, evidence: nil)
        guard case .late(_, let error, _) = try attempt().outcome(in: prompt) else {
            Issue.record("it counts")
            return
        }
        #expect((error.status, error.code) == (410, "prompt_gone"))
    }

    @Test(
        "what a late answer decided is known without the request",
        arguments: [
            (#"{"decision":"deny"}"#, Prompt.Decision.deny), (#"{"answers":{"Which?":"A"}}"#, .allow),
            (#"{"action":"accept"}"#, .allow), (#"{"action":"decline"}"#, .deny),
        ]
    )
    func late(body: String, decision: Prompt.Decision) throws {
        guard case .late(let answer, _, _) = try attempt(body).outcome(in: closed(answer(device: "4"))) else {
            Issue.record("it counts")
            return
        }
        #expect(answer.decision == decision && answer.scope == (decision == .allow ? .once : nil))
    }
}

import EventModel
import HTTPModel
import JSON
import Testing

@testable import Chat

@Suite struct ChatFunctionsTests {
    private let tool = #"{"type":"function","function":{"name":"f"}}"#

    private func read(_ fields: String = "", messages: String = #"[{"role":"user","content":"a"}]"#) throws
        -> ChatRequest
    {
        try ChatRequest(Array(#"{"messages":\#(messages),"tools":[\#(tool)]\#(fields)}"#.utf8))
    }

    private func history(_ results: String, id: String = "c1", more: String = "") -> String {
        #"[{"role":"user","content":"a"},{"role":"assistant","content":"t","tool_calls":[{"id":"\#(id)","#
            + #""type":"function","function":{"name":"f","arguments":"{\"x\": 1}"}},"#
            + #"{"id":"c2","function":{"name":"f"}}]},"#
            + results + more + "]"
    }

    private let told =
        #"{"role":"tool","tool_call_id":"c2","content":""},{"role":"tool","tool_call_id":"c1","content":"/x"}"#

    @Test func aFunctionWithoutParametersTakesAnObject() throws {
        let function = try read().functions.list[0]
        #expect(function["parameters"]?["type"] == .string("object") && function["description"] == nil)
    }

    @Test func resultsAreOneMessage() throws {
        let request = try read(messages: history(told, more: #",{"role":"user","content":"b"}"#))
        #expect(request.history.count == 2 && request.content.array?.count == 3)
        #expect(request.history[1]["content"]?.array?[1]["input"] == .object([("x", .integer(1))]))
        #expect(request.content.array?[0]["content"] == nil)
        #expect(request.results == nil)
    }

    @Test func resultsBelongToTheTurnBefore() throws {
        let results = try read(messages: history(told)).results
        let before = try read().digest
        #expect(results?.calls == ["c1", "c2"] && results?.digest == before)
        #expect(results?.list.map { $0["id"] } == [.string("c2"), .string("c1")])
        let limited = try read(#","max_tokens":3"#, messages: history(told)).results
        #expect(limited?.digest != before)
        #expect(try read().results == nil)
    }

    @Test func aChatThatWaitsIsTakenOnceByItsCaller() throws {
        let (parked, now) = (ParkedChats(), Timestamp(microseconds: 1_000_000))
        let results = try #require(try read(messages: history(told)).results)
        let entry = ParkedChats.Entry(
            chat: "chat",
            session: "session",
            principal: .admin,
            machine: MachineID(rawValue: 1),
            digest: results.digest,
            calls: results.calls,
            deadline: now.adding(seconds: 10),
            end: {}
        )
        let key = Principal(.apiKey(APIKeyGrant(id: 7, name: "k", grants: Grants([.chat], on: .all))))
        parked.add(entry)
        #expect(parked.take(results, of: key, now: now) == nil)
        #expect(parked.waiting(for: results, of: key, now: now) == nil)
        #expect(parked.waiting(for: results, of: .admin, now: now)?.session == "session")
        #expect(parked.takeAll(of: "other").isEmpty)
        #expect(parked.take(results, of: .admin, now: now.adding(seconds: 10)) == nil)
        #expect(parked.take(results, of: .admin, now: now)?.chat == "chat")
        #expect(parked.take(results, of: .admin, now: now) == nil)
    }

    @Test func anEndWithCallsIsToolCalls() {
        let call: JSONValue = .object([("id", .string("c")), ("name", .string("f")), ("arguments", .string("{}"))])
        let report: JSONValue = .object([("stop_reason", .string("tool_use")), ("calls", .array([call]))])
        let outcome = ChatOutcome(report, offering: ["f"])
        guard case .finished(let result) = outcome else {
            Issue.record("no end")
            return
        }
        #expect(result.finishReason == "tool_calls" && result.calls.map(\.id) == ["c"])
        guard case .finished(let other) = ChatOutcome(report, offering: ["g"]) else {
            Issue.record("no end")
            return
        }
        #expect(other.finishReason == "stop" && other.calls.isEmpty)
    }
}

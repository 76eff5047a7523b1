import HTTPModel
import JSON
import Testing

@testable import Chat
@testable import ClaudeRunner

@Suite struct PlainChatTests {
    private let tool = #"{"type":"function","function":{"name":"f"}}"#

    private func request(_ messages: String, _ fields: String = "") throws -> Chat.ChatRequest {
        try ChatRequest(Array(#"{"messages":[\#(messages)]\#(fields)}"#.utf8))
    }

    private func result(_ calls: [ChatFunctionCall] = []) -> ChatResult {
        ChatResult(finishReason: "stop", model: "m", usage: nil, calls: calls)
    }

    @Test func theNextRequestIsKnownByItsEarlierMessages() throws {
        let user = #"{"role":"user","content":"a"}"#
        let next = try request(user + #",{"role":"assistant","content":"b\n"},"# + user)
        let ending = try request(user).ending("b\n", result(), turn: "t", keepsTexts: false)
        #expect(ending.history == ChatRequest.digest(ofHistory: next.history) && ending.line == nil)
        let other = try request(user).ending("b", result(), turn: "t", keepsTexts: false)
        #expect(other.history != ending.history)
    }

    @Test(arguments: ["", "Look."]) func soIsTheOneWithTheResultsOfCalls(text: String) throws {
        let user = #"{"role":"user","content":"a"}"#
        let call = ChatFunctionCall(id: "c1", name: "f", arguments: #"{"x": 1, "a": "\u00e9"}"#)
        let next = try request(
            user + #",{"role":"assistant","content":"\#(text)","tool_calls":[{"id":"c1","type":"function","#
                + #""function":{"name":"f","arguments":"{\"x\": 1, \"a\": \"\\u00e9\"}"}}]},"#
                + #"{"role":"tool","tool_call_id":"c1","content":"r"}"#
        )
        let ending = try request(user).ending(text, result([call]), turn: "t", keepsTexts: false)
        #expect(ending.history == ChatRequest.digest(ofHistory: next.history))
    }

    @Test func onlyWhatIsNewIsKept() throws {
        let asked = try request(
            #"{"role":"user","content":"One\ntwo"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}"#
        )
        let new = asked.beginning(of: "s", turn: "t", isNew: true, keepsTexts: true)
        #expect(new.title == "One" && new.lines.count == 3 && new.messageCount == 3)
        let known = asked.beginning(of: "s", turn: "t", isNew: false, keepsTexts: true)
        #expect(known.lines == [#"{"type":"user","uuid":"t-0","message":{"role":"user","content":"c"}}"#])
        let none = asked.beginning(of: "s", turn: "t", isNew: true, keepsTexts: false)
        #expect(none.title == nil && none.lines.isEmpty && none.messageCount == 3)
    }

    @Test func noPictureIsKept() throws {
        let picture = #"{"type":"image_url","image_url":{"url":"data:image/png;base64,QUJDQUJD"}}"#
        let asked = try request(#"{"role":"user","content":[\#(picture)]}"#)
        let kept = asked.beginning(of: "s", turn: "t", isNew: true, keepsTexts: true)
        #expect(kept.title == nil && kept.lines[0].contains("6 bytes") && !kept.lines[0].contains("QUJD"))
    }

    /// What the server says of the flags is what the agent gives.
    @Test(arguments: ["", #","model":"m","reasoning_effort":"high""#])
    func theFlagsAreThoseOfTheAgent(more: String) throws {
        for tools in ["", #","tools":[\#(tool)]"#] {
            let asked = try request(#"{"role":"user","content":"a"}"#, more + tools)
            let plan = PlainPlan(way: .start, machineName: "", request: asked)
            var client = ChatClient(
                directory: "/",
                model: asked.model,
                effort: asked.effort,
                executable: "/claude",
                environment: []
            )
            client.takesFunctions = !asked.functions.list.isEmpty
            var given = client.arguments(id: "id")
            for (flag, count) in [
                ("-p", 1), ("--input-format", 2), ("--output-format", 2), ("--verbose", 1),
                ("--include-partial-messages", 1), ("--session-id", 2), ("--settings", 2),
            ] {
                let place = try #require(given.firstIndex(of: flag))
                given.removeSubrange(place..<place + count)
            }
            #expect(plan.flags == given)
        }
    }
}

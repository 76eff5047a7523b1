import EventModel
import Foundation
import HTTPModel
import JSON
import Testing

@testable import Chat

@Suite struct ChatRequestTests {
    private func read(_ json: String) throws -> ChatRequest { try ChatRequest(Array(json.utf8)) }

    @Test func systemTextsAreJoinedInOrder() throws {
        let request = try read(
            #"{"system_prompt":"0","messages":[{"role":"system","content":"1"},{"role":"user","content":"a"},"#
                + #"{"role":"developer","content":"2"}]}"#
        )
        #expect(request.systemPrompt == "0\n\n1\n\n2")
        #expect(request.content == .string("a") && request.history.isEmpty)
    }

    @Test func anEmptyAssistantSaysNothing() throws {
        let request = try read(
            #"{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":null},"#
                + #"{"role":"user","content":"b"}]}"#
        )
        #expect(request.history.count == 1)
    }

    @Test func theNewerLimitOfTokensCounts() throws {
        let request = try read(
            #"{"messages":[{"role":"user","content":"a"}],"max_tokens":5,"max_completion_tokens":7,"stop":["x","y"]}"#
        )
        #expect(request.mostTokens == 7 && request.stopSequences == ["x", "y"])
    }

    @Test func ignoredNamesAreThoseOfHeaders() throws {
        let request = try read(
            #"{"messages":[{"role":"user","content":"a"}],"seed":1,"user":null,"a\nb":1,"extra-1":2,"new":3}"#
        )
        #expect(request.ignored == ["seed", "new"])
    }

    @Test func temperaturesCountIfTheOperatorSaysSo() throws {
        func read(_ fields: String, passes: Bool) throws -> ChatRequest {
            let body = #"{"messages":[{"role":"user","content":"a"}],\#(fields)}"#
            return try ChatRequest(try ChatRequest.json(Array(body.utf8)), passesSampling: passes)
        }
        let both = #""temperature":0.5,"top_p":1"#
        let ignored = try read(both, passes: false)
        #expect(ignored.ignored == ["temperature", "top_p"] && ignored.sampling == ChatSampling())
        let passed = try read(both, passes: true)
        #expect(passed.ignored.isEmpty && passed.sampling.temperature == 0.5 && passed.sampling.topP == 1)
        #expect(passed.digest != ignored.digest)
        #expect(try read(both + #","reasoning_effort":"low""#, passes: true).ignored == ["temperature", "top_p"])
        #expect(throws: APIError.self) { try read(#""temperature":1.1"#, passes: true) }
        #expect(try read(#""temperature":1.1"#, passes: false).ignored == ["temperature"])
    }

    @Test(arguments: ["", "[]", "{}", #"{"messages":[]}"#, #"{"messages":[{"role":"user","content":[]}]}"#])
    func noMessages(_ json: String) {
        #expect(throws: APIError.self) { try read(json) }
    }

    @Test func theDocumentListsEveryField() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "docs/chat.md"), encoding: .utf8)
        var listed: [String: String] = [:]
        for match in text.matches(of: /(?m)^\| `(\w+)` \| (honoured|refused|ignored) \|/) {
            listed[String(match.1)] = String(match.2)
        }
        #expect(
            listed == Dictionary(uniqueKeysWithValues: ChatField.allCases.map { ($0.rawValue, $0.treatment.rawValue) })
        )
    }
}

@Suite struct ChatAnswerTests {
    private let answer = ChatAnswer(id: "chatcmpl-1", created: 7, model: "haiku", includesUsage: true)

    private func events(_ bytes: [UInt8]) throws -> [JSONValue] {
        try String(decoding: bytes, as: UTF8.self).components(separatedBy: "\n\n").filter { $0.hasPrefix("data: {") }
            .map { try JSONValue.parse(Array($0.dropFirst(6).utf8)) }
    }

    @Test func anEndHasReasonUsageAndDone() throws {
        let usage = ChatUsage(RequestTokens(input: 2, output: 4, cacheRead: 1), cost: nil)
        let bytes = answer.end(.finished(ChatResult(finishReason: "length", model: nil, usage: usage)))
        let found = try events(bytes)
        #expect(found[0]["choices"]?.array?[0]["finish_reason"] == .string("length"))
        #expect(found[1]["choices"] == .array([]))
        #expect(found[1]["usage"]?["total_tokens"]?.integer == 7 && found[1]["usage"]?["total_cost"] == .null)
        #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("data: [DONE]\n\n"))
    }

    @Test func aFailureIsAnErrorObjectAndDone() throws {
        let bytes = answer.end(.failed(.invalid("code", "words", param: "p")))
        #expect(try events(bytes).map { $0["error"]?["code"] } == [.string("code")])
        #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("}}\n\ndata: [DONE]\n\n"))
    }

    @Test func theOpeningComesWithTheFirstNewsAndNamesTheModel() throws {
        var answer = answer
        #expect(answer.write(ChatRun.News(pieces: [], outcome: nil, seen: 0)).isEmpty)
        let news = ChatRun.News(pieces: [.text("a")], model: "claude-x", outcome: nil, seen: 1)
        let first = try events(answer.write(news))
        #expect(first.map { $0["model"] } == [.string("claude-x"), .string("claude-x")])
        #expect(first.first?["choices"]?.array?[0]["delta"]?["role"] == .string("assistant"))
        #expect(try events(answer.write(news)).count == 1)
    }

    @Test func aTurnThatFailedCostsAtLeastItsTokens() throws {
        func spent(_ report: String) throws -> ChatUsage? {
            ChatUsage(endOf: try JSONValue.parse(Array(report.utf8)), asked: "haiku") { model, tokens in
                ChatPrice(dollars: Double(tokens.output), isListed: model == "haiku")
            }
        }
        #expect(try spent(#"{"usage":{"output_tokens":9},"cost":2}"#)?.cost == 2)
        #expect(try spent(#"{"usage":{"output_tokens":9},"cost":2,"failure":{}}"#)?.cost == 9)
        #expect(try spent(#"{"usage":{"output_tokens":1},"cost":2,"failure":{}}"#)?.cost == 2)
        #expect(try spent(#"{"cost":2,"failure":{}}"#)?.cost == 2)
        #expect(try spent(#"{"cost":2}"#)?.isUnpriced == false)
        #expect(try spent(#"{"usage":{"output_tokens":9}}"#)?.cost == 9)
        #expect(try spent(#"{"usage":{"output_tokens":9},"cost":-1}"#)?.cost == 9)
        #expect(try spent(#"{"cost":2,"model":"other"}"#)?.isUnpriced == true)
        #expect(try spent(#"{"cost":2,"model":"a\u0000"}"#)?.model == nil)
    }

    @Test func aPictureIsEstimatedByItsPlaceAndNotByItsBytes() throws {
        let picture = String(repeating: "A", count: 100_000)
        let body = """
            {"messages": [{"role": "system", "content": "1234"}, {"role": "user", "content": [
                {"type": "text", "text": "12345678"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,\(picture)"}}]}]}
            """
        let bytes = try ChatRequest(Array(body.utf8)).textBytes
        #expect((6400...7000).contains(bytes))
    }

    @Test(arguments: [
        ("end_turn", "stop"), ("stop_sequence", "stop"), ("max_tokens", "length"), ("refusal", "content_filter"),
    ])
    func finishReasons(word: String, reason: String) {
        let outcome = ChatOutcome(.object([("stop_reason", .string(word))]))
        #expect(outcome == .finished(ChatResult(finishReason: reason, model: nil, usage: nil)))
    }
}

@Suite struct ChatRunTests {
    private func run() -> ChatRun {
        ChatRun(ChatAnswer(id: "1", created: 0, model: nil, includesUsage: false)) {}
    }

    @Test func everybodyGetsTheWholeText() async {
        let run = run()
        run.add("a")
        let first = await run.news(after: 0, seconds: 60)
        run.add("b")
        run.finish(.finished(ChatResult(finishReason: "stop", model: nil, usage: nil)))
        let second = await run.news(after: first.seen, seconds: 60)
        #expect(first.text == "a" && first.outcome == nil && second.text == "b" && second.outcome != nil)
        #expect(await run.news(after: 0, seconds: 60).text == "ab")
    }

    @Test func theFirstOutcomeCounts() {
        let run = run()
        run.finish(.failed(.invalid("one", "")))
        run.finish(.failed(.invalid("two", "")))
        #expect(run.outcome == .failed(.invalid("one", "")))
    }

    @Test func aCancelledTaskWaitsNoLonger() async {
        let run = run()
        let waiting = Task { await run.news(after: 0, seconds: 3600) }
        waiting.cancel()
        #expect(await waiting.value.text == "")
    }

    @Test func aRepeatJoinsAndOthersOnlyWhenNobodyWaits() {
        let (runs, run) = (ChatRuns(), run())
        let place = ChatRuns.Place(caller: "api_key:1", digest: [1])
        runs.add(run, at: place)
        run.enter()
        #expect(runs.joinable(place, isRepeat: true) === run)
        #expect(runs.joinable(place, isRepeat: false) == nil)
        #expect(runs.joinable(ChatRuns.Place(caller: "api_key:2", digest: [1]), isRepeat: true) == nil)
        run.leave()
        #expect(runs.joinable(place, isRepeat: false) === run)
    }
}

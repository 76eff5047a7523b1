import EventModel
import JSON
import Masking
import Testing

@testable import Transcripts

@Suite("Counts and names of a transcript")
struct LineCounterTests {
    private static func content(_ lines: [String], policy: ContentPolicy = .summary) -> PieceContent {
        var splitter = LineSplitter(at: 0)
        let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
        return PieceReader(policy: policy)
            .read(
                splitter.take(bytes[...]),
                session: "s1",
                lastAt: nil,
                answers: AnswerTracker(),
                receivedAt: Timestamp(microseconds: 9_000_000)
            )
    }

    private static func counts(_ lines: [String], policy: ContentPolicy = .summary) -> [Int64] {
        let counts = content(lines, policy: policy).lines.map(\.count)
        return [counts.reduce(0) { $0 + $1.messages }, counts.reduce(0) { $0 + $1.toolCalls }]
    }

    private static func user(_ content: String, _ more: String = "") -> String {
        #"{"type":"user","sessionId":"s1","message":{"role":"user","content":\#(content)}\#(more)}"#
    }

    private static func assistant(_ block: String, id: String, stop: String = "null", _ more: String = "") -> String {
        #"{"type":"assistant","sessionId":"s1","message":{"id":"\#(id)","role":"assistant","content":[\#(block)],"#
            + #""stop_reason":\#(stop)}\#(more)}"#
    }

    private static let text = #"{"type":"text","text":"ok"}"#
    private static let call = #"{"type":"tool_use","id":"t1","name":"Bash","input":{}}"#
    private static let result = #"[{"type":"tool_result","tool_use_id":"t1","content":"done"}]"#

    @Test(
        "a turn is a prompt and an answer, however many messages it has",
        arguments: [("m1", "m2", "m3"), ("m", "m", "m")]
    )
    func turn(first: String, second: String, third: String) {
        let lines = [
            LineCounterTests.user(#""Mend it""#), LineCounterTests.assistant(LineCounterTests.text, id: first),
            LineCounterTests.assistant(LineCounterTests.call, id: first),
            LineCounterTests.user(LineCounterTests.result),
            LineCounterTests.assistant(LineCounterTests.text, id: second, stop: #""tool_use""#),
            LineCounterTests.assistant(LineCounterTests.call, id: second, stop: #""tool_use""#),
            LineCounterTests.user(LineCounterTests.result),
            LineCounterTests.assistant(LineCounterTests.text, id: third, stop: #""end_turn""#),
            LineCounterTests.user(#""And now?""#), LineCounterTests.assistant(LineCounterTests.text, id: "m9"),
        ]
        #expect(LineCounterTests.counts(lines) == [4, 2])
        #expect(LineCounterTests.counts(lines, policy: .none) == [4, 2])
    }

    @Test("the model is that of the main agent's last request")
    func model() {
        func answer(_ model: String, _ more: String = "") -> String {
            #"{"type":"assistant","sessionId":"s1","message":{"id":"\#(model)","role":"assistant","model":"\#(model)","#
                + #""content":[],"usage":{"input_tokens":1,"output_tokens":1}}\#(more)}"#
        }
        let lines = [answer("old"), answer("new"), answer("agent", #","agentId":"a1","isSidechain":true"#)]
        let main = LineCounterTests.content(Array(lines.prefix(2)) + [answer("<synthetic>")])
        #expect(main.model == "new")
        #expect(LineCounterTests.content([lines[2]]).model == nil)
        #expect(LineCounterTests.content([LineCounterTests.user(#""Mend it""#)]).model == nil)
    }

    @Test("what no person typed and no tool did is not counted")
    func others() {
        let lines = [
            LineCounterTests.user(#""Caveat""#, #","isMeta":true"#),
            LineCounterTests.user(#""summary""#, #","isCompactSummary":true"#),
            LineCounterTests.user(#""<command-name>/clear</command-name>""#),
            LineCounterTests.user(#""<local-command-stdout>x</local-command-stdout>""#),
            LineCounterTests.user(#""<task-notification>x</task-notification>""#),
            LineCounterTests.user(#"[{"type":"text","text":"[Request interrupted by user]"}]"#),
            LineCounterTests.user(LineCounterTests.result, #","toolUseResult":"User rejected tool use""#),
            LineCounterTests.user(LineCounterTests.result, #","toolDenialKind":"user-rejected""#),
            #"{"type":"assistant","sessionId":"s1","message":{"id":"m1","role":"assistant","model":"<synthetic>","#
                + #""content":[\#(LineCounterTests.text)]}}"#,
            LineCounterTests.user(#""copied""#, #","forkedFrom":{"sessionId":"other"}"#),
            LineCounterTests.user(#""agent""#, #","isSidechain":true"#),
            #"{"type":"ai-title","aiTitle":"x","sessionId":"s1"}"#, "not JSON",
        ]
        #expect(LineCounterTests.counts(lines) == [0, 0])
    }

    @Test("calls of subagents count, their messages do not")
    func subagents() {
        let more = #","isSidechain":true,"agentId":"a1""#
        let lines = [
            LineCounterTests.user(#""look""#, more), LineCounterTests.assistant(LineCounterTests.call, id: "m1", more),
            LineCounterTests.user(LineCounterTests.result, more),
            LineCounterTests.assistant(LineCounterTests.text, id: "m2", more),
        ]
        #expect(LineCounterTests.counts(lines) == [0, 1])
    }

    @Test("the last titles and the first prompt name the session")
    func names() {
        let names = LineCounterTests.content([
            #"{"type":"summary","summary":"Old"}"#, LineCounterTests.user(#""\n  Mend the page\nand more""#),
            #"{"type":"custom-title","customTitle":"Mine","sessionId":"s1"}"#,
            LineCounterTests.user(#""second""#, #","timestamp":"2026-11-26T10:00:00.000Z""#),
            #"{"type":"ai-title","aiTitle":"Automatic","sessionId":"s1"}"#,
        ]).report.names
        #expect(names.prompt?.text == "Mend the page")
        #expect(names.person?.text == "Mine")
        #expect(names.person?.at == Timestamp(microseconds: 0))
        #expect(names.client?.text == "Automatic")
        #expect(names.client?.at == Timestamp(rfc3339: "2026-11-26T10:00:00.000Z"))
    }

    @Test("a command is named as it was typed")
    func command() {
        let text =
            "<command-message>deploy is running</command-message>\\n<command-name>/deploy</command-name>"
            + "\\n<command-args>to production</command-args>"
        let names = LineCounterTests.content([LineCounterTests.user("\"\(text)\"")]).report.names
        #expect(names.prompt?.text == "/deploy to production")
    }

    @Test("without content there are no names")
    func withoutContent() {
        let lines = [LineCounterTests.user(#""Mend it""#), #"{"type":"custom-title","customTitle":"Mine"}"#]
        #expect(LineCounterTests.content(lines, policy: .none).report.names.isEmpty)
    }
}

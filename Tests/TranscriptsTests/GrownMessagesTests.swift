import EventModel
import JSON
import Testing

@testable import Transcripts

@Suite("Messages among new lines")
struct GrownMessagesTests {
    private func lines(_ texts: String...) -> [(place: ConversationPlace, line: [UInt8])] {
        texts.enumerated().map { number, text in
            (ConversationPlace(at: Timestamp(microseconds: Int64(number)), line: Int64(number + 1)), Array(text.utf8))
        }
    }

    private func assistant(_ uuid: String, _ id: String, _ block: String) -> String {
        #"{"type":"assistant","uuid":"\#(uuid)","message":{"id":"\#(id)","content":[\#(block)]}}"#
    }

    private let call = #"{"type":"tool_use","id":"toolu_1","name":"Bash","input":{}}"#

    private func hook(_ type: EventType, _ payload: String = "{}", call: String? = nil) -> CommittedEvent {
        let time = Timestamp(microseconds: 1)
        let event = MonitorEvent(
            id: EventID(high: 1, low: 2),
            type: type,
            hookEventName: nil,
            timestamp: time,
            receivedAt: time,
            machine: MachineID(rawValue: 1),
            machineName: "m",
            sessionID: "s",
            projectPath: nil,
            toolName: nil,
            summary: "",
            payload: Array(payload.utf8),
            facts: SessionFacts(toolUseID: call)
        )
        return CommittedEvent(seq: 1, event: event, workspaceID: nil)
    }

    @Test("the lines of one answer are one message, which ends with the last of them")
    func grouping() {
        let grown = GrownMessages(
            lines(
                assistant("a", "m1", #"{"type":"text","text":"one"}"#),
                assistant("b", "m1", call),
                #"{"type":"user","uuid":"c","message":{"content":"next"}}"#,
                assistant("d", "m2", #"{"type":"text","text":""}"#)
            ),
            told: ToldByHooks()
        )
        #expect(grown.lines.map { $0.message?.id } == [nil, "a", "c", nil])
        #expect(grown.lines[1].message?.blocks.count == 2)
    }

    @Test("blocks that hooks have told are left out, and of cut readings all that hooks could tell")
    func toldByHooks() {
        let answer = lines(
            assistant("a", "m1", #"{"type":"thinking","thinking":"hm"}"#),
            assistant("b", "m1", call)
        )
        let told = ToldByHooks([hook(.toolStart, call: "toolu_1")], isCut: false)
        #expect(GrownMessages(answer, told: told).lines[1].message?.blocks == [.thinking("hm")])
        let other = ToldByHooks([hook(.toolStart, call: "toolu_2"), hook(.tool, call: "toolu_1")], isCut: false)
        #expect(GrownMessages(answer, told: other).lines[1].message?.blocks.count == 2)
        #expect(GrownMessages(answer, told: ToldByHooks([], isCut: true)).lines[1].message?.blocks == [.thinking("hm")])
    }

    @Test("a prompt is known by its turn, an answer by its beginning, an interruption never")
    func texts() throws {
        let stop = EventType(.known(.stop))
        let long = String(repeating: "word ", count: 40)
        let told = ToldByHooks(
            [
                hook(.prompt, #"{"prompt":"/review now","prompt_id":"t1"}"#),
                hook(stop, #"{"last_assistant_message":"\#(long.prefix(150))… [+50 chars]"}"#),
            ],
            isCut: false
        )
        let grown = GrownMessages(
            lines(
                #"{"type":"user","promptId":"t1","message":{"content":"Review it now."}}"#,
                assistant("a", "m1", #"{"type":"text","text":"\#(long)"}"#),
                #"{"type":"user","promptId":"t1","message":{"content":"[Request interrupted by user]"}}"#,
                #"{"type":"user","promptId":"t2","message":{"content":"Review it now."}}"#
            ),
            told: told
        )
        #expect(grown.lines.map { $0.message != nil } == [false, false, true, true])
    }

    @Test("an answer is known by its text without the white space around it, however short the text is")
    func whiteSpace() {
        let stop = hook(EventType(.known(.stop)), #"{"last_assistant_message":"Two\nlines."}"#)
        let grown = GrownMessages(
            lines(assistant("a", "m1", #"{"type":"text","text":"\n Two\nlines. \n\u00a0"}"#)),
            told: ToldByHooks([stop], isCut: false)
        )
        #expect(grown.lines.map { $0.message == nil } == [true])
    }

    @Test("marks survive their text form")
    func marks() throws {
        let message = try #require(
            ConversationMessage(
                place: .end,
                lines: [try JSONValue.parse(Array(assistant("a", "m1", call).utf8))]
            )
        )
        let mark = try #require(message.marks.first)
        #expect(MessageMark(mark.description) == mark)
        #expect(MessageMark("x12") == nil)
        #expect(MessageMark("c") == nil)
    }
}

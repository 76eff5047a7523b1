import EventModel
import Testing

@testable import Transcripts

@Suite("The end of a conversation")
struct ConversationTailTests {
    private static let start = Timestamp(microseconds: 1_767_607_200_000_000)

    private func hook(
        _ seq: Int64,
        _ type: EventType,
        _ payload: String,
        at seconds: Double = 0,
        tool: String? = nil,
        use: String? = nil,
        agent: String? = nil
    ) -> CommittedEvent {
        var facts = SessionFacts(toolUseID: use, agentID: agent)
        facts.promptIsInjected = false
        let event = MonitorEvent(
            id: EventID(high: 1, low: UInt64(seq)),
            type: type,
            hookEventName: nil,
            timestamp: Self.start.adding(seconds: seconds),
            receivedAt: Self.start,
            machine: MachineID(rawValue: 1),
            machineName: "studio",
            sessionID: "s1",
            projectPath: nil,
            toolName: tool,
            summary: "summary",
            payload: Array(payload.utf8),
            facts: facts
        )
        return CommittedEvent(seq: seq, event: event, workspaceID: nil)
    }

    private func line(_ text: String, _ role: ConversationMessage.Role = .user) throws -> ConversationMessage {
        var message = try #require(ConversationMessage(hook(1, .prompt, #"{"prompt":"x"}"#)))
        message.seq = nil
        message.role = role
        message.blocks = [.text(text)]
        return message
    }

    @Test("a text that the transcript has is told once, a longer one is another")
    func texts() throws {
        let told = [try line("yes")]
        let same = hook(2, .prompt, #"{"prompt":"yes"}"#)
        let longer = hook(3, .prompt, #"{"prompt":"yes, and more"}"#)
        let tail = ConversationTail.messages([same, longer], told: told, agentID: nil)
        #expect(tail.map(\.text) == ["yes, and more"])
    }

    @Test("texts that were cut at different lengths are the same")
    func cuts() throws {
        let told = [try line("a long prompt that goes on")]
        let cut = hook(2, .prompt, #"{"prompt":"a long prompt… [+12]"}"#)
        #expect(ConversationTail.messages([cut], told: told, agentID: nil).isEmpty)
        let reverse = [try line("a long… [+20]")]
        #expect(ConversationTail.messages([cut], told: reverse, agentID: nil).isEmpty)
        let other = [try line("another… [+20]")]
        #expect(ConversationTail.messages([cut], told: other, agentID: nil).count == 1)
    }

    @Test("calls and results are known by their ids; another agent's are not told")
    func tools() throws {
        var told = try line("", .assistant)
        told.blocks = [.toolUse(id: "t1", name: "Bash", input: .object([]))]
        let events = [
            hook(2, .toolStart, "{}", tool: "Bash", use: "t1"), hook(3, .tool, "{}", tool: "Bash", use: "t1"),
            hook(4, .toolStart, "{}", tool: "Bash", use: "t2"),
            hook(5, .tool, "{}", tool: "Bash", use: "t3", agent: "a"),
        ]
        #expect(ConversationTail.messages(events, told: [told], agentID: nil).map(\.seq) == [3, 4])
        #expect(ConversationTail.messages(events, told: [told], agentID: "a").map(\.seq) == [5])
    }

    @Test("what is older than the transcript's end is told by it")
    func age() throws {
        var told = try line("end")
        told.place.at = Self.start.adding(seconds: 60)
        let events = [hook(2, .prompt, #"{"prompt":"old"}"#), hook(3, .prompt, #"{"prompt":"new"}"#, at: 58)]
        #expect(ConversationTail.messages(events, told: [told], agentID: nil).map(\.text) == ["new"])
    }

    @Test("pages by offset are one list without a hole or a repeat", arguments: [false, true])
    func windows(isDescending: Bool) {
        for (lines, tail, limit) in [(7, 3, 2), (5, 0, 5), (1, 4, 3), (12, 5, 4), (3, 2, 100)] {
            var seen: [Int] = []
            for offset in stride(from: 0, to: lines + tail, by: limit) {
                let window = ConversationWindow(
                    transcript: lines,
                    tail: tail,
                    offset: offset,
                    limit: limit,
                    isDescending: isDescending
                )
                let fromLines = (0..<window.taken).map {
                    isDescending ? lines - 1 - window.skipped - $0 : window.skipped + $0
                }
                let fromTail = window.tail.map { isDescending ? lines + tail - 1 - $0 : lines + $0 }
                seen += isDescending ? fromTail + fromLines : fromLines + fromTail
            }
            #expect(seen == (isDescending ? Array((0..<(lines + tail)).reversed()) : Array(0..<(lines + tail))))
        }
    }
}

import HTTPModel
import JSON
import Testing

@testable import Chat

/// What a machine writes is bounded.
@Suite struct ChatBoundsTests {
    private let run = ChatRun(ChatAnswer(id: "a", created: 1, model: nil, includesUsage: false)) {}

    @Test func anEmptyTextIsNothing() {
        run.add("")
        run.add(.thinking(""))
        #expect(run.pieces.isEmpty)
    }

    @Test func stepsWithoutTextsCountToo() {
        for _ in 0..<100_000 where run.outcome == nil { run.add(.toolEnded(id: "", isError: false)) }
        #expect(run.outcome != nil)
    }

    @Test func aToolsEndBelongsToItsCall() throws {
        var writer = JSONWriter()
        writer.beginObject()
        ChatMonitor([
            .tool(id: "a", name: "Bash"), .tool(id: "b", name: "Read"), .toolEnded(id: "x", isError: true),
            .toolEnded(id: "a", isError: true),
        ]).write(to: &writer)
        writer.endObject()
        let tools = try JSONValue.parse(writer.bytes)["monitor"]?["tools"]?.array ?? []
        #expect(tools.map { $0["is_error"] } == [.bool(true), .null])
    }

    @Test func aCostIsBounded() {
        #expect(ChatUsage(.object([]), cost: 1.7e308)?.cost == 1_000_000)
    }
}

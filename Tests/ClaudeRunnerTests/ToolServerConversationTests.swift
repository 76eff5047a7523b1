import JSON
import Testing

@testable import ClaudeRunner

struct ToolServerConversationTests {
    private func json(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8), maxDepth: 64) }

    private func methods(_ actions: [ToolServerConversation.Action]) -> [String] {
        actions.compactMap { action in
            guard case .write(let message) = action else { return nil }
            return message["method"]?.string
        }
    }

    @Test func asksPageByPage() throws {
        var server = ToolServerConversation()
        #expect(methods(server.begin()) == ["initialize"])
        let greeting = try json(#"{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tools":{}}}}"#)
        #expect(methods(server.receive(greeting)) == ["notifications/initialized", "tools/list"])
        let page = try json(#"{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a"}],"nextCursor":"x"}}"#)
        #expect(methods(server.receive(page)) == ["tools/list"])
        let last = try json(#"{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"b"}]}}"#)
        guard case .listed(let list)? = server.receive(last).first else { throw Failure.noList }
        #expect(list.tools.compactMap { $0["name"]?.string } == ["a", "b"])
        #expect(list.isComplete)
        #expect(server.receive(last) == [])
    }

    @Test func aServerWithoutToolsIsNotAsked() throws {
        var server = ToolServerConversation()
        _ = server.begin()
        let actions = server.receive(try json(#"{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"prompts":{}}}}"#))
        #expect(actions == [.listed(ToolList())])
    }

    @Test func whatIsNotAskedForIsIgnored() throws {
        var server = ToolServerConversation()
        _ = server.begin()
        for text in [
            #"{"jsonrpc":"2.0","id":9,"result":{"capabilities":{"tools":{}}}}"#, "[]", "1", #"{"id":null}"#,
            #"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#,
        ] {
            #expect(server.receive(try json(text)) == [])
        }
    }

    @Test func anEndlessListEnds() throws {
        var server = ToolServerConversation()
        _ = server.begin()
        _ = server.receive(try json(#"{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tools":{}}}}"#))
        var last: [ToolServerConversation.Action] = []
        for number in 2..<200 {
            last = server.receive(
                try json(#"{"id":\#(number),"result":{"tools":[{"name":"t\#(number)"}],"nextCursor":"x"}}"#)
            )
            if case .listed? = last.first { break }
        }
        guard case .listed(let list)? = last.first else { throw Failure.noList }
        #expect(!list.isComplete)
        #expect(list.tools.count == ToolList.mostPages)
    }

    private enum Failure: Error { case noList }
}

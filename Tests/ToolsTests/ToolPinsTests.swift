import JSON
import Testing

@testable import Tools

struct ToolPinsTests {
    private func tool(_ text: String) throws -> ToolDefinition {
        try #require(ToolDefinition(try JSONValue.parse(Array(text.utf8), maxDepth: 128)))
    }

    private func server(_ tools: [ToolDefinition], isComplete: Bool = true) -> ServerReport.Server {
        ServerReport.Server(
            id: "mcp_1",
            name: "git",
            scope: "user",
            path: nil,
            transport: "stdio",
            state: "connected",
            reason: nil,
            isListed: true,
            isComplete: isComplete,
            tools: tools
        )
    }

    private func pinned(_ digest: String, offered: String? = nil, isPresent: Bool = true) -> ToolPins.Pinned {
        ToolPins.Pinned(digest: digest, offered: offered, isPresent: isPresent)
    }

    @Test func firstSightIsPinned() throws {
        let one = try tool(#"{"name":"a","description":"A"}"#)
        #expect(ToolPins.changes([:], server([one])) == [.pin(one)])
    }

    @Test func noPinMakesRoomForAnother() throws {
        let (old, new) = (try tool(#"{"name":"a","description":"B"}"#), try tool(#"{"name":"b","description":"B"}"#))
        let names = (1..<ToolPins.most).map { "t\($0)" }
        let gone = Dictionary(uniqueKeysWithValues: names.map { ($0, pinned("x", isPresent: false)) })
        let full = gone.merging(["a": pinned("x")]) { $1 }
        #expect(ToolPins.changes(full, server([old, new])) == [.offer(old)])
        #expect(!ToolPins.haveRoom(full, for: server([old, new])))
        #expect(ToolPins.haveRoom(full, for: server([old])))
        #expect(ToolPins.changes(gone, server([new])) == [.pin(new)])
    }

    @Test func theSameChangesNothing() throws {
        let one = try tool(#"{"name":"a","description":"A"}"#)
        #expect(ToolPins.changes(["a": pinned(one.digest)], server([one])) == [])
    }

    @Test func anotherDefinitionIsOfferedOnce() throws {
        let (old, new) = (try tool(#"{"name":"a","description":"A"}"#), try tool(#"{"name":"a","description":"B"}"#))
        #expect(ToolPins.changes(["a": pinned(old.digest)], server([new])) == [.offer(new)])
        #expect(ToolPins.changes(["a": pinned(old.digest, offered: new.digest)], server([new])) == [])
        #expect(ToolPins.changes(["a": pinned(old.digest, offered: new.digest)], server([old])) == [.settle("a")])
    }

    @Test func whatComesBackOtherwiseIsOffered() throws {
        let (old, new) = (try tool(#"{"name":"a","description":"A"}"#), try tool(#"{"name":"a","description":"B"}"#))
        let gone = ["a": pinned(old.digest, isPresent: false)]
        #expect(ToolPins.changes(gone, server([new])) == [.offer(new)])
        #expect(ToolPins.changes(gone, server([old])) == [.settle("a")])
    }

    @Test func aNameAloneChangesNoPin() throws {
        let (name, whole) = (try tool(#"{"name":"a"}"#), try tool(#"{"name":"a","description":"A"}"#))
        #expect(name.isNameOnly)
        #expect(ToolPins.changes(["a": pinned(whole.digest, offered: "other")], server([name])) == [])
        let gone = pinned(whole.digest, offered: "other", isPresent: false)
        #expect(ToolPins.changes(["a": gone], server([name])) == [.appear("a")])
        #expect(ToolPins.changes(["a": pinned("")], server([whole])) == [.pin(whole)])
    }

    @Test func onlyAWholeListMakesToolsDisappear() throws {
        let one = try tool(#"{"name":"a","description":"A"}"#)
        let known = ["a": pinned(one.digest), "b": pinned("x"), "c": pinned("y", isPresent: false)]
        #expect(ToolPins.changes(known, server([one])) == [.disappear("b")])
        #expect(ToolPins.changes(known, server([one], isComplete: false)) == [])
    }

    @Test func theOrderOfMembersDoesNotCount() throws {
        let one = try tool(#"{"name":"a","inputSchema":{"type":"object","required":["x","y"]},"_meta":{"v":1}}"#)
        let other = try tool(#"{"inputSchema":{"required":["x","y"],"type":"object"},"title":null,"name":"a"}"#)
        let third = try tool(#"{"name":"a","inputSchema":{"type":"object","required":["y","x"]}}"#)
        #expect(one.digest == other.digest)
        #expect(one.digest != third.digest)
    }
}

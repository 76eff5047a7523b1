import JSON
import Testing

@testable import RPC

@Suite("Replies to a batch")
struct RPCRepliesTests {
    @Test("replies without room become errors, and all of them stay within the limit")
    func limit() throws {
        let limit = 16 << 10
        var replies = RPCReplies(isBatch: true, limit: limit)
        let large = RPCResult { $0.field("text", String(repeating: "x", count: 15 << 10)) }
        for id in 0..<50 { replies.append(.integer(Int64(id)), .success(large)) }
        let text = try #require(replies.text)
        #expect(text.count <= limit + 51)
        let items = try #require(try JSONValue.parse(text).array)
        #expect(items.map { $0["id"] } == (0..<50).map { .integer($0) })
        #expect(items.allSatisfy { $0["error"] != nil })
    }

    @Test("a reply that fits is sent beside errors")
    func one() throws {
        var replies = RPCReplies(isBatch: true, limit: 16 << 10)
        for size in [15 << 10, 15 << 10, 100] {
            let result = RPCResult { $0.field("text", String(repeating: "x", count: size)) }
            replies.append(.integer(Int64(size)), .success(result))
        }
        let text = try #require(replies.text)
        let items = try #require(try JSONValue.parse(text).array)
        #expect(items.map { $0["result"] != nil } == [true, false, true])
    }
}

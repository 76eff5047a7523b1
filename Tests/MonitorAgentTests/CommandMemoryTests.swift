import EventModel
import JSON
import Testing

@testable import MonitorAgent

@Suite("Results of commands")
struct CommandMemoryTests {
    private let start = Timestamp(microseconds: 1_800_000_000_000_000)

    @Test("a repeat gets the result of the first time")
    func repeated() {
        var memory = CommandMemory()
        #expect(memory.admit("a", now: start) == .new)
        #expect(memory.admit("a", now: start) == .running)
        _ = memory.finish("a", .object([("x", .integer(1))]), now: start)
        #expect(memory.admit("a", now: start) == .done(.object([("x", .integer(1))])))
        #expect(memory.admit("a", now: start.adding(seconds: 86_399)) != .new)
        #expect(memory.admit("a", now: start.adding(seconds: 86_400)) == .new)
    }

    @Test("one that was refused is judged again")
    func abandoned() {
        var memory = CommandMemory()
        #expect(memory.admit("a", now: start) == .new)
        memory.abandon("a")
        #expect(memory.admit("a", now: start) == .new)
    }

    @Test("bounded")
    func bounds() {
        var memory = CommandMemory(limit: 3)
        for id in ["a", "b", "c", "d"] {
            #expect(memory.admit(id, now: start) == .new)
            _ = memory.finish(id, .object([]), now: start)
        }
        #expect(memory.admit("a", now: start) == .new)
        #expect(memory.admit("d", now: start) == .done(.object([])))
    }

    @Test("the oldest results make room for large ones")
    func bytes() {
        var memory = CommandMemory(bytes: 3000)
        let large = JSONValue.object([("text", .string(String(repeating: "x", count: 1000)))])
        for id in ["a", "b", "c", "d"] {
            #expect(memory.admit(id, now: start) == .new)
            _ = memory.finish(id, large, now: start)
        }
        #expect(memory.stored.count <= 3000)
        #expect(memory.admit("b", now: start) == .new)
        #expect(memory.admit("d", now: start) == .done(large))
    }

    @Test("stored and read again")
    func stored() {
        var memory = CommandMemory()
        _ = memory.admit("a", now: start)
        let result = JSONValue.object([("text", .string("line\none"))])
        _ = memory.finish("a", result, now: start)
        _ = memory.admit("b", now: start)
        _ = memory.finish("b", .object([("applied", .bool(true))]), now: start)
        let text = memory.stored
        #expect(text.filter { $0 == UInt8(ascii: "\n") }.count == 2)
        var again = CommandMemory(stored: text + Array(#"{"id":"cut","#.utf8), now: start.adding(seconds: 10))
        #expect(again.admit("a", now: start) == .done(result))
        #expect(again.admit("b", now: start) == .done(.object([("applied", .bool(true))])))
        #expect(again.admit("cut", now: start) == .new)
        var late = CommandMemory(stored: text, now: start.adding(seconds: 90_000))
        #expect(late.admit("a", now: start.adding(seconds: 90_000)) == .new)
        var early = CommandMemory(stored: text, now: start.adding(seconds: -90_000))
        #expect(early.admit("a", now: start.adding(seconds: -90_000)) == .new)
    }
}

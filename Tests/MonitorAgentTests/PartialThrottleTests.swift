import Testing

@testable import MonitorAgent

@Suite("The pace of text that is being written")
struct PartialThrottleTests {
    private typealias Piece = PartialThrottle.Piece

    @Test("the first piece goes at once, what follows is gathered for 100 ms")
    func pace() {
        var throttle = PartialThrottle()
        #expect(throttle.take("m", "a", replaces: false, now: 0) == [Piece(messageID: "m", text: "a", replaces: false)])
        #expect(throttle.deadline == nil)
        #expect(throttle.take("m", "b", replaces: false, now: 0.02).isEmpty)
        #expect(throttle.take("m", "c", replaces: false, now: 0.05).isEmpty)
        #expect(throttle.deadline == 0.1)
        #expect(throttle.due(0.09).isEmpty)
        #expect(throttle.due(0.1) == [Piece(messageID: "m", text: "bc", replaces: false)])
        #expect(throttle.take("m", "d", replaces: false, now: 1) == [Piece(messageID: "m", text: "d", replaces: false)])
    }

    @Test("text that replaces what was there")
    func replaced() {
        var throttle = PartialThrottle()
        _ = throttle.take("m", "a", replaces: false, now: 0)
        _ = throttle.take("m", "b", replaces: false, now: 0.01)
        _ = throttle.take("m", "whole", replaces: true, now: 0.02)
        _ = throttle.take("m", "+", replaces: false, now: 0.03)
        #expect(throttle.due(0.2) == [Piece(messageID: "m", text: "whole+", replaces: true)])
    }

    @Test("another message, and the end of one")
    func messages() {
        var throttle = PartialThrottle()
        _ = throttle.take("m", "a", replaces: false, now: 0)
        _ = throttle.take("m", "b", replaces: false, now: 0.01)
        #expect(
            throttle.take("n", "x", replaces: false, now: 0.02)
                == [Piece(messageID: "m", text: "b", replaces: false)]
        )
        #expect(
            throttle.close("n", now: 0.03) == [
                Piece(messageID: "n", text: "x", replaces: false),
                Piece(messageID: "n", text: "", replaces: false, isClosed: true),
            ]
        )
        #expect(throttle.close("n", now: 0.04).isEmpty)
        #expect(throttle.close("unknown", now: 0.04).isEmpty)
    }

    @Test("after a lost connection only a message's whole text goes on")
    func lost() {
        var throttle = PartialThrottle()
        _ = throttle.take("m", "a", replaces: false, now: 0)
        throttle.linkLost()
        #expect(throttle.take("m", "b", replaces: false, now: 1).isEmpty)
        #expect(throttle.deadline == nil)
        #expect(throttle.take("m", "ab", replaces: true, now: 2) == [Piece(messageID: "m", text: "ab", replaces: true)])
        throttle.linkLost()
        #expect(throttle.take("n", "c", replaces: false, now: 3) == [Piece(messageID: "n", text: "c", replaces: false)])
    }

    @Test("a long piece is cut between characters")
    func long() {
        var throttle = PartialThrottle()
        let text = String(repeating: "é", count: PartialThrottle.pieceLimit)
        let pieces = throttle.take("m", "a" + text, replaces: true, now: 0)
        #expect(pieces.count == 3 && pieces.map(\.text).joined() == "a" + text)
        #expect(pieces.map(\.replaces) == [true, false, false])
        #expect(pieces.allSatisfy { $0.text.utf8.count <= PartialThrottle.pieceLimit })
    }
}

import Testing

@testable import MonitorAgent

struct ScreenThrottleTests {
    @Test func sendsTheFirstPieceAtOnceAndPacesTheNext() {
        var throttle = ScreenThrottle()
        #expect(throttle.take([97], restarts: false, now: 1)?.text == "a")
        #expect(throttle.take([98], restarts: false, now: 1.01) == nil)
        #expect(throttle.deadline.map { $0 > 1.03 } == true)
        #expect(throttle.due(1.02) == nil)
        #expect(throttle.due(1.04)?.text == "b")
        #expect(throttle.deadline == nil)
    }

    @Test func keepsTheBeginningOfACharacter() {
        var throttle = ScreenThrottle()
        let bytes = Array("aä😀".utf8)
        for (index, byte) in bytes.enumerated() {
            let piece = throttle.take([byte], restarts: false, now: Double(index))
            #expect(piece.map { !$0.text.contains("\u{fffd}") } ?? true)
        }
        #expect(throttle.due(100) == nil)
    }

    @Test func bytesThatAreNoTextPass() {
        var throttle = ScreenThrottle()
        #expect(throttle.take([0xff, 0x80, 97], restarts: false, now: 1)?.text == "\u{fffd}\u{fffd}a")
    }

    @Test func dropsTheBeginningOfTooMuch() {
        var throttle = ScreenThrottle()
        _ = throttle.take([97], restarts: false, now: 1)
        _ = throttle.take(Array(repeating: 98, count: 300 << 10), restarts: false, now: 1)
        let piece = throttle.due(2)
        #expect(piece?.restarts == true)
        #expect(piece?.text.utf8.count == ScreenThrottle.pieceLimit)
        #expect(throttle.due(3)?.restarts == false)
    }
}

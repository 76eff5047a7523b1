import Testing

@testable import Listener

@Suite struct TimingWheelTests {
    @Test func itemsAreDueInTheirSecondAlsoBeyondATurn() {
        var wheel = TimingWheel<Int>(turn: 8, now: 100)
        for second in 101...150 { #expect(wheel.add(second, at: second) == second) }
        for now in 101...150 {
            let due = wheel.tick(now: now)
            #expect(due.map(\.item) == [now])
            #expect(due.map(\.second) == [now])
        }
        #expect(wheel.tick(now: 1000).isEmpty)
    }

    @Test func anOverdueItemIsDueAtTheNextTick() {
        var wheel = TimingWheel<String>(turn: 4, now: 10)
        #expect(wheel.add("late", at: 3) == 11)
        #expect(wheel.tick(now: 10).isEmpty)
        #expect(wheel.tick(now: 11).map(\.item) == ["late"])
    }

    @Test func aClockJumpReturnsEachDueItemOnce() {
        var wheel = TimingWheel<Int>(turn: 5, now: 0)
        for second in 1...40 { _ = wheel.add(second, at: second) }
        #expect(wheel.tick(now: 30).map(\.item).sorted() == Array(1...30))
        #expect(wheel.tick(now: 29).isEmpty)
        #expect(wheel.tick(now: 35).map(\.item).sorted() == Array(31...35))
        #expect(wheel.tick(now: 100).map(\.item).sorted() == Array(36...40))
    }

    @Test(arguments: 0..<20) func agreesWithASortedList(_ seed: UInt64) {
        var random = SplitMix(state: seed)
        var wheel = TimingWheel<Int>(turn: Int.random(in: 1...20, using: &random), now: 0)
        var expected: [(second: Int, item: Int)] = []
        var now = 0
        for item in 0..<500 {
            let second = wheel.add(item, at: now + Int.random(in: -3...60, using: &random))
            #expect(second > now)
            expected.append((second, item))
            guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
            now += Int.random(in: 0...12, using: &random)
            let due = expected.filter { $0.second <= now }.map(\.item)
            expected.removeAll { $0.second <= now }
            #expect(wheel.tick(now: now).map(\.item).sorted() == due)
        }
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

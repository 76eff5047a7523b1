import Testing

@testable import Listener

@Suite struct BusyPollTests {
    @Test func theWindowGrowsWhileEventsComeSoon() {
        var poll = BusyPoll(longest: 200)
        #expect(poll.window == 0)
        var windows: [Int64] = []
        for _ in 0..<7 {
            poll.woken(after: 199)
            windows.append(poll.window)
        }
        #expect(windows == [10, 20, 40, 80, 160, 200, 200])
    }

    @Test func theWindowClosesWhenEventsComeLate() {
        var poll = BusyPoll(longest: 200)
        for _ in 0..<6 { poll.woken(after: 50) }
        var windows: [Int64] = []
        for _ in 0..<6 {
            poll.woken(after: 200)
            windows.append(poll.window)
        }
        #expect(windows == [100, 50, 25, 12, 0, 0])
    }

    @Test func aBoundOfZeroNeverPolls() {
        var poll = BusyPoll(longest: 0)
        for microseconds: Int64 in [0, 1, 1000] {
            poll.woken(after: microseconds)
            #expect(poll.window == 0)
        }
    }

    /// Most of the waits: the loop's own timer may come close to one of them.
    @Test func aQuietLoopDoesNotPoll() async throws {
        try await withLoop(configure: { $0.busyPollMicroseconds = 200 }) { loop, _, _ in
            var windows: [Int64] = []
            for _ in 0..<8 {
                try await Task.sleep(for: .milliseconds(20))
                windows.append(await loop.turn { $0.driver.busyPoll.window })
            }
            #expect(windows.count { $0 == 0 } >= 5)
        }
    }

    @Test func aBoundBelowTheFirstWindowHolds() {
        var poll = BusyPoll(longest: 5)
        poll.woken(after: 1)
        #expect(poll.window == 5)
    }
}

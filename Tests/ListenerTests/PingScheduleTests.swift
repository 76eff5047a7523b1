import Testing

@testable import Listener

@Suite struct PingScheduleTests {
    private let channel = ChannelID(rawValue: 1)
    private let other = ChannelID(rawValue: 2)

    @Test func pingsOnceAnIntervalWhileThePeerAnswers() {
        var schedule = PingSchedule(interval: 25, patience: 10, now: 0)
        schedule.add(channel, now: 0)
        var pings: [Int] = []
        for now in 1...100 {
            for action in schedule.tick(now: now) {
                #expect(action == .ping(channel))
                pings.append(now)
                schedule.heard(channel, now: now)
            }
        }
        #expect(pings == [25, 50, 75, 100])
    }

    @Test func givesUpOnSilence() {
        var schedule = PingSchedule(interval: 25, patience: 10, now: 0)
        schedule.add(channel, now: 3)
        schedule.heard(channel, now: 20)
        var log: [String] = []
        for now in 4...200 {
            for action in schedule.tick(now: now) { log.append("\(now) \(action == .ping(channel))") }
        }
        #expect(log == ["28 true", "38 false"])
    }

    @Test func aRemovedChannelIsNotPinged() {
        var schedule = PingSchedule(interval: 5, patience: 2, now: 0)
        schedule.add(channel, now: 0)
        schedule.add(other, now: 0)
        schedule.remove(channel)
        #expect(schedule.tick(now: 5) == [.ping(other)])
    }

    @Test func survivesAJumpOfTheClock() {
        var schedule = PingSchedule(interval: 5, patience: 2, now: 0)
        schedule.add(channel, now: 0)
        #expect(schedule.tick(now: 1000) == [.ping(channel)])
        #expect(schedule.tick(now: 1000) == [])
        #expect(schedule.tick(now: 1001) == [])
        #expect(schedule.tick(now: 1002) == [.giveUp(channel)])
    }

    @Test func manySocketsArePingedInTheirSeconds() {
        var schedule = PingSchedule(interval: 7, patience: 20, now: 0)
        for number in 0..<500 { schedule.add(ChannelID(rawValue: UInt64(number)), now: number % 7) }
        var count = 0
        for now in 1...13 { count += schedule.tick(now: now).count }
        #expect(count == 500)
    }
}

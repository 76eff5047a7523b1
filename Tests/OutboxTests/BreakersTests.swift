import EventModel
import Testing

@testable import Outbox

@Suite struct BreakersTests {
    private let now = Timestamp(microseconds: 1_700_000_000_000_000)
    private let channel = "apns"

    @Test func aChannelThatFailsLetsNothingThroughUntilItsPauseIsOver() {
        var breakers = Breakers<Int>()
        let answer1 = breakers.admit(channel, now: now)
        #expect(answer1 == nil)
        let until = breakers.failed(channel, cause: "InvalidProviderToken", now: now)
        #expect(until == now.adding(seconds: 60))
        let answer2 = breakers.admit(channel, now: now.adding(seconds: 59))
        #expect(answer2 == until)
        let answer3 = breakers.admit("webpush:other", now: now)
        #expect(answer3 == nil)
        #expect(breakers.open(at: now).map(\.cause) == ["InvalidProviderToken"])
    }

    @Test func afterThePauseOneTriesAndTheOthersWait() {
        var breakers = Breakers<Int>()
        _ = breakers.failed(channel, cause: "x", now: now)
        let later = now.adding(seconds: 60)
        let answer4 = breakers.admit(channel, now: later)
        #expect(answer4 == nil)
        let answer5 = breakers.admit(channel, now: later)
        #expect(answer5 == later.adding(seconds: Breakers<Int>.trialSeconds))
        breakers.accepted(channel)
        let answer6 = breakers.admit(channel, now: later)
        #expect(answer6 == nil)
        #expect(breakers.channels.isEmpty && breakers.openings == 1)
        breakers.accepted(channel)
        #expect(breakers.openings == 1)
    }

    @Test func aTryThatWasNotHandedOverLeavesTheNextOneToTry() {
        var breakers = Breakers<Int>()
        _ = breakers.failed(channel, cause: "x", now: now)
        breakers.notTried(channel, now: now)
        #expect(breakers.openings == 0)
        let later = now.adding(seconds: 60)
        let first = breakers.admit(channel, now: later)
        breakers.notTried(channel, now: later)
        let second = breakers.admit(channel, now: later)
        let third = breakers.admit(channel, now: later)
        #expect(first == nil && second == nil && third != nil && breakers.openings == 1)
    }

    @Test func whatWasUnderWayWhenItOpenedDoesNotLengthenThePause() {
        var breakers = Breakers<Int>()
        let until = breakers.failed(channel, cause: "x", now: now)
        for _ in 0..<50 {
            let again = breakers.failed(channel, cause: "x", now: now.adding(seconds: 1))
            #expect(again == until)
        }
    }

    @Test func thePauseDoublesWithEachTryThatFailsUpToABound() {
        var breakers = Breakers<Int>()
        var time = now
        var pauses: [Double] = []
        for _ in 0..<8 {
            let until = breakers.failed(channel, cause: "x", now: time)
            pauses.append(until.seconds(since: time))
            time = until
            let answer7 = breakers.admit(channel, now: time)
            #expect(answer7 == nil)
        }
        #expect(pauses == [60, 120, 240, 480, 960, 1800, 1800, 1800])
    }

    @Test func manyRefusedTokensInARowSayThatTheChannelIsWrong() {
        var breakers = Breakers<Int>()
        let answer8 = breakers.refused(1, channel, cause: "BadDeviceToken", now: now)
        #expect(!answer8)
        let answer9 = breakers.refused(1, channel, cause: "BadDeviceToken", now: now)
        #expect(!answer9)
        let answer10 = breakers.refused(2, channel, cause: "BadDeviceToken", now: now)
        #expect(!answer10)
        let answer11 = breakers.refused(3, channel, cause: "BadDeviceToken", now: now)
        #expect(answer11)
        let answer12 = breakers.admit(channel, now: now)
        #expect(answer12 != nil)
    }

    @Test func aPushThatIsTakenInBetweenClearsTheSuspicion() {
        var breakers = Breakers<Int>()
        for device in 1...10 {
            let answer13 = breakers.refused(device, channel, cause: "BadDeviceToken", now: now)
            #expect(!answer13)
            breakers.accepted(channel)
        }
    }

    @Test func onlySoManyChannelsAreRemembered() {
        var breakers = Breakers<Int>()
        for number in 0..<(2 * Breakers<Int>.channelLimit) {
            _ = breakers.failed("webpush:\(number)", cause: "x", now: now)
        }
        #expect(breakers.channels.count == Breakers<Int>.channelLimit)
    }
}

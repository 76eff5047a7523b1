import EventModel
import Testing

@testable import Persistence

@Suite struct ProjectorScheduleTests {
    private let start = Timestamp(microseconds: 1_700_000_000_000_000)

    private func after(_ milliseconds: Double) -> Timestamp { start.adding(seconds: milliseconds / 1000) }

    private func makeLeader(pacing: ProjectionPacing = .prompt, at seq: Int64 = 10) -> ProjectorSchedule {
        var schedule = ProjectorSchedule(pacing: pacing, now: start)
        #expect(schedule.next(at: start) == .connect)
        schedule.connected(at: start)
        #expect(schedule.next(at: start) == .takeLease)
        schedule.began(at: seq, end: seq, now: start)
        return schedule
    }

    @Test func writesTwentyMillisecondsAfterTheFirstUnwrittenEvent() {
        var schedule = makeLeader()
        schedule.logReaches(12)
        #expect(schedule.next(at: after(5)) == .fold)
        schedule.folded(through: 12, hasChanges: true, at: after(5))
        #expect(schedule.next(at: after(5)) == .wait(milliseconds: 20))
        schedule.logReaches(13)
        schedule.folded(through: 13, hasChanges: true, at: after(20))
        #expect(schedule.next(at: after(24)) == .wait(milliseconds: 1))
        #expect(schedule.next(at: after(25)) == .write)
        schedule.wrote(through: 13, took: 0.001, at: after(26))
        #expect(schedule.next(at: after(26)) == .wait(milliseconds: 974))
    }

    @Test func aCursorThatMovesAloneIsWrittenOnceASecond() {
        var schedule = makeLeader()
        schedule.checked(end: 11, at: after(0))
        schedule.folded(through: 11, hasChanges: false, at: after(0))
        #expect(schedule.next(at: after(0)) == .wait(milliseconds: 20))
        #expect(schedule.isGathering(at: after(19)))
        // Nothing came: the next event is folded at once.
        #expect(!schedule.isGathering(at: after(20)))
        #expect(schedule.next(at: after(20)) == .wait(milliseconds: 980))
        schedule.logReaches(12)
        #expect(schedule.next(at: after(30)) == .fold)
        schedule.folded(through: 12, hasChanges: true, at: after(30))
        #expect(schedule.next(at: after(30)) == .write)
        schedule.wrote(through: 12, took: 0, at: after(31))
        schedule.logReaches(13)
        schedule.folded(through: 13, hasChanges: false, at: after(40))
        #expect(schedule.next(at: after(1039)) == .check)
        schedule.checked(end: 13, at: after(1039))
        #expect(schedule.next(at: after(1040)) == .write)
    }

    @Test func aReadThatWaitsHasTheCursorWritten() {
        var schedule = makeLeader()
        schedule.logReaches(11)
        schedule.folded(through: 11, hasChanges: false, at: after(0))
        schedule.awaits(11, at: after(1))
        #expect(schedule.next(at: after(1)) == .write)
    }

    @Test func restsLongerTheLongerAWriteTakes() {
        var schedule = makeLeader()
        schedule.logReaches(11)
        schedule.folded(through: 11, hasChanges: true, at: after(0))
        schedule.wrote(through: 11, took: 0.01, at: after(30))
        schedule.logReaches(12)
        schedule.folded(through: 12, hasChanges: true, at: after(30))
        #expect(schedule.next(at: after(179)) == .wait(milliseconds: 1))
        #expect(schedule.next(at: after(180)) == .write)
    }

    @Test func aReadThatWaitsIsNotKeptByEither() {
        var schedule = makeLeader()
        schedule.wrote(through: 10, took: 1, at: after(0))
        schedule.awaits(12, at: after(1))
        #expect(schedule.next(at: after(1)) == .fold)
        schedule.folded(through: 12, hasChanges: true, at: after(1))
        #expect(schedule.next(at: after(1)) == .write)
        schedule.wrote(through: 12, took: 0, at: after(2))
        schedule.awaits(12, at: after(2))
        #expect(schedule.next(at: after(2)) != .write)
    }

    @Test func aReadOfAnotherServerHasTheLogsEndAskedFirst() {
        var schedule = makeLeader()
        schedule.awaits(nil, at: after(1))
        #expect(schedule.next(at: after(1)) == .check)
        schedule.checked(end: 14, at: after(2))
        #expect(schedule.next(at: after(2)) == .fold)
        schedule.folded(through: 14, hasChanges: true, at: after(2))
        #expect(schedule.next(at: after(2)) == .write)
    }

    @Test func aLongTailIsWrittenAtOnce() {
        var schedule = makeLeader()
        schedule.wrote(through: 10, took: 10, at: after(0))
        schedule.logReaches(50_000)
        schedule.folded(through: 10 + ProjectorSchedule.longestTail, hasChanges: true, at: after(1))
        #expect(schedule.next(at: after(1)) == .write)
    }

    @Test func theLogsEndIsAskedOnceASecondEvenWhileAWriteWaits() {
        var schedule = makeLeader()
        #expect(schedule.next(at: after(999)) == .wait(milliseconds: 1))
        #expect(schedule.next(at: after(1000)) == .check)
        schedule.checked(end: 10, at: after(1000))
        #expect(schedule.next(at: after(1000)) == .wait(milliseconds: 1000))
        schedule.logReaches(11)
        #expect(schedule.next(at: after(1100)) == .fold)
    }

    @Test func whoHasNotTheLeaseAsksEachSecondAndTellsTheLeaderOfReads() {
        var schedule = ProjectorSchedule(pacing: .prompt, now: start)
        schedule.connected(at: start)
        schedule.leaseRefused(at: start)
        #expect(schedule.next(at: start) == .wait(milliseconds: 1000))
        schedule.awaits(6, at: after(22))
        #expect(schedule.next(at: after(22)) == .askLeader)
        schedule.asked()
        #expect(schedule.next(at: after(22)) == .wait(milliseconds: 978))
        #expect(schedule.next(at: after(1000)) == .takeLease)
        #expect(!schedule.isLeading)
    }

    @Test func aLostConnectionIsALostLease() {
        var schedule = makeLeader()
        schedule.logReaches(11)
        schedule.lost(at: after(0))
        #expect(!schedule.isLeading)
        #expect(schedule.next(at: after(0)) == .wait(milliseconds: 250))
        schedule.lost(at: after(250))
        #expect(schedule.next(at: after(250)) == .wait(milliseconds: 500))
        #expect(schedule.next(at: after(750)) == .connect)
        schedule.connected(at: after(750))
        // What was folded and not written is read again.
        schedule.began(at: 10, end: 11, now: after(750))
        #expect(schedule.next(at: after(750)) == .fold)
    }

    @Test func theLeaseThatWasGivenUpOnRequestIsLeftForAWhile() {
        var schedule = makeLeader()
        schedule.yielded(at: after(0))
        #expect(schedule.next(at: after(2999)) == .wait(milliseconds: 1))
        #expect(schedule.next(at: after(3000)) == .takeLease)
    }
}

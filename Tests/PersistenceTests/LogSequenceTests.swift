import DatabaseSamples
import EventModel
import Testing

@testable import Persistence

@Suite struct LogSequenceTests {
    private func makeBatch(_ seqs: ClosedRange<Int64>, epoch: String = "e") -> CommittedBatch {
        CommittedBatch(epoch: epoch, events: makeEvents(seqs))
    }

    private func makeEvents(_ seqs: ClosedRange<Int64>) -> [CommittedEvent] {
        seqs.map { CommittedEvent(seq: $0, event: makeEvent(id: UInt64($0)), workspaceID: nil) }
    }

    private func makeSequence(at seq: Int64) -> LogSequence {
        var sequence = LogSequence()
        sequence.reaches(StreamPosition(epoch: "e", seq: seq))
        #expect(sequence.next(isReading: true) == .skip(StreamPosition(epoch: "e", seq: seq)))
        return sequence
    }

    /// The positions that are passed on; negative ones are skips.
    private func pass(_ sequence: inout LogSequence, isReading: Bool = true) -> [Int64] {
        var passed: [Int64] = []
        while let step = sequence.next(isReading: isReading) {
            switch step {
            case .events(let batch): passed += batch.events.map(\.seq)
            case .skip(let position): passed.append(-position.seq)
            }
        }
        return passed
    }

    @Test func commitsOfOneServerArePassedOnAtOnce() {
        var sequence = makeSequence(at: 10)
        #expect(sequence.isNext(makeBatch(11...12)) && !sequence.isNext(makeBatch(12...12)))
        sequence.committed(makeBatch(11...12))
        #expect(!sequence.isNext(makeBatch(13...13)))
        #expect(pass(&sequence) == [11, 12])
        #expect(sequence.isNext(makeBatch(13...13)) && sequence.missing == nil)
    }

    @Test func aCommitWaitsForTheEventsOfAnotherServerBeforeIt() throws {
        var sequence = makeSequence(at: 10)
        sequence.committed(makeBatch(13...14))
        sequence.committed(makeBatch(18...18))
        #expect(pass(&sequence) == [])
        let request = try #require(sequence.missing)
        #expect(request.ranges == [11...12, 15...17])
        sequence.read(makeEvents(11...12), from: 11, through: 12, for: request)
        #expect(pass(&sequence) == [11, 12, 13, 14])
        #expect(sequence.missing?.ranges == [15...17])
        sequence.read(makeEvents(15...17), from: 15, through: 17, for: request)
        #expect(pass(&sequence) == [15, 16, 17, 18])
    }

    @Test func ifNobodyNeedsThemTheEventsOfOthersAreSkipped() {
        var sequence = makeSequence(at: 10)
        sequence.committed(makeBatch(13...14))
        #expect(pass(&sequence, isReading: false) == [-12, 13, 14])
        sequence.reaches(StreamPosition(epoch: "e", seq: 20))
        #expect(pass(&sequence, isReading: false) == [-20])
        #expect(sequence.missing == nil)
    }

    @Test func aNoticeOfAnotherServerHasTheLogRead() throws {
        var sequence = makeSequence(at: 10)
        sequence.reaches(StreamPosition(epoch: "e", seq: 12))
        sequence.reaches(StreamPosition(epoch: "e", seq: 9))
        let request = try #require(sequence.missing)
        #expect(request.ranges == [11...12])
        // The page ended early, and the commit that comes meanwhile is among what is read.
        sequence.read(makeEvents(11...11), from: 11, through: 11, for: request)
        sequence.committed(makeBatch(12...12))
        #expect(pass(&sequence) == [11, 12])
        sequence.read(makeEvents(12...12), from: 12, through: 12, for: request)
        #expect(pass(&sequence) == [])
    }

    @Test func deletedEventsLeaveNoGap() throws {
        var sequence = makeSequence(at: 10)
        sequence.committed(makeBatch(14...14))
        let request = try #require(sequence.missing)
        sequence.read(makeEvents(12...12), from: 11, through: 13, for: request)
        #expect(pass(&sequence) == [12, 14])
        sequence.reaches(StreamPosition(epoch: "e", seq: 16))
        let last = try #require(sequence.missing)
        sequence.read([], from: 15, through: 16, for: last)
        #expect(pass(&sequence) == [-16])
    }

    @Test func whatCannotBeReadIsSkipped() throws {
        var sequence = makeSequence(at: 10)
        sequence.committed(makeBatch(13...14))
        let request = try #require(sequence.missing)
        sequence.readFailed(request)
        #expect(pass(&sequence) == [-12, 13, 14])
    }

    @Test func erasedEventsAreNotPassedOnFromMemory() throws {
        var sequence = makeSequence(at: 10)
        sequence.committed(makeBatch(13...14))
        let request = try #require(sequence.missing)
        sequence.forget()
        sequence.read(makeEvents(11...12), from: 11, through: 12, for: request)
        #expect(pass(&sequence) == [-14])
        sequence.committed(makeBatch(15...15))
        #expect(pass(&sequence) == [15])
    }

    @Test func beyondTheBoundsTheSequenceSkips() {
        var sequence = makeSequence(at: 10)
        sequence.committed(makeBatch(12...12))
        sequence.reaches(StreamPosition(epoch: "e", seq: 11 + LogSequence.mostEvents))
        #expect(pass(&sequence) == [-11 - LogSequence.mostEvents])
        #expect(sequence.missing == nil)
    }

    @Test func anotherEpochBeginsAnew() {
        var sequence = makeSequence(at: 10)
        sequence.committed(makeBatch(13...14))
        sequence.committed(makeBatch(3...4, epoch: "f"))
        #expect(pass(&sequence) == [3, 4])
        sequence.reaches(StreamPosition(epoch: "g", seq: 4))
        #expect(sequence.next(isReading: true) == .skip(StreamPosition(epoch: "g", seq: 4)))
    }
}

import EventModel
import Testing

@testable import Usage

/// Records `first...last` of a process, one a second from `start`.
private func numbers(_ first: Int64, _ last: Int64, start: Int64 = 0, isStart: Bool? = nil) -> RecordNumbers {
    RecordNumbers(
        first: first,
        last: last,
        since: Timestamp(microseconds: (start + first) * 1_000_000),
        until: Timestamp(microseconds: (start + last) * 1_000_000),
        isStart: isStart ?? (first == 0)
    )
}

private func runs(_ all: [RecordNumbers]) -> RecordRuns {
    var runs = RecordRuns()
    for one in all { runs.insert(one) }
    return runs
}

@Suite("Telemetry's numbers")
struct RecordRunsTests {
    @Test("what is lost is counted exactly, in every order")
    func gaps() {
        let all = [numbers(0, 3), numbers(4, 4), numbers(8, 9), numbers(10, 12), numbers(20, 20)]
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let found = runs((all + all).shuffled(using: &random))
            #expect(found.missing == 3 + 7)
            #expect(found.parts.count == 3)
        }
    }

    @Test("a late part fills its gap")
    func filled() {
        var found = runs([numbers(0, 3), numbers(8, 9)])
        #expect(found.missing == 4)
        found.insert(numbers(4, 7))
        #expect(found.missing == 0 && found.parts.count == 1)
    }

    @Test("each process of a session counts from 0")
    func processes() {
        #expect(runs([numbers(0, 9), numbers(0, 4, start: 100)]).missing == 0)
        #expect(runs([numbers(0, 9), numbers(3, 4, start: 100)]).missing == 3)
        #expect(runs([numbers(0, 9), numbers(0, 1, start: 100), numbers(4, 4, start: 100)]).missing == 2)
    }

    @Test("numbers before a session's first are lost, unless another session had them")
    func start() {
        var found = runs([numbers(40, 44)])
        #expect(found.missing == 40 && found.openStart == 40)
        found.closeStart()
        #expect(found.missing == 0 && found.openStart == nil)
        #expect(runs([numbers(40, 44, isStart: true), numbers(45, 46)]).missing == 0)
    }

    @Test("beyond the bound the oldest gap stays counted")
    func bound() {
        let all = (0..<200).map { numbers($0 * 3, $0 * 3) }
        let found = runs(all)
        #expect(found.parts.count <= RecordRuns.maximumParts)
        #expect(found.missing == 199 * 2)
    }

    @Test("they survive storage, and anything else is none")
    func storage() {
        let found = runs((0..<80).map { numbers($0 * 2, $0 * 2) })
        #expect(RecordRuns(stored: found.stored) == found)
        #expect(RecordRuns(stored: RecordRuns().stored) == RecordRuns())
        for text in ["", "x", "0,1 2", "0,5 4 0 0 1"] { #expect(RecordRuns(stored: text) == nil) }
    }
}

@Suite("Windows")
struct UsageWindowsTests {
    @Test("a window is open for five hours")
    func open() {
        let start = Timestamp(microseconds: 1_000_000)
        let end = start.adding(seconds: 18_000)
        #expect(UsageWindows.openWindow(beganAt: start, at: end.adding(seconds: -1)) == start..<end)
        #expect(UsageWindows.openWindow(beganAt: start, at: end) == nil)
        #expect(UsageWindows.openWindow(beganAt: nil, at: end) == nil)
    }
}

@Suite("Sums")
struct UsageSumTests {
    private func sum(_ requests: Int64, telemetry: Int64, transcript: Int64) -> UsageSum {
        var sum = UsageSum()
        (sum.requests, sum.byTelemetry, sum.byTranscript) = (requests, telemetry, transcript)
        return sum
    }

    @Test("a group says who told of it and how sure that is")
    func confidence() {
        #expect((UsageSum().source, UsageSum().confidence) == (.none, .none))
        #expect(
            (sum(2, telemetry: 2, transcript: 0).source, sum(2, telemetry: 2, transcript: 1).source) == (.otel, .both)
        )
        #expect(sum(2, telemetry: 2, transcript: 1).confidence == .exact)
        #expect(sum(2, telemetry: 1, transcript: 2).confidence == .lowerBound)
        var cut = sum(2, telemetry: 2, transcript: 2)
        cut.isIncomplete = true
        #expect(cut.confidence == .lowerBound)
        cut.hasEstimate = true
        #expect(cut.confidence == .estimated)
    }

    @Test("a difference above a hundredth is shown")
    func difference() {
        var one = sum(1, telemetry: 1, transcript: 1)
        (one.costByTelemetry, one.costByTranscript) = (1, 0.995)
        #expect(one.difference == nil)
        one.costByTranscript = 0.5
        #expect(one.difference == 0.5)
    }
}

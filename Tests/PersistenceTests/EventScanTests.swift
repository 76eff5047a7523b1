import EventModel
import Testing

@testable import Persistence

struct EventScanTests {
    private static let step = EventScan.stepPlaces
    private static let log = LogBounds(epoch: "e", head: 3 * step, oldest: 1)

    private func query(limit: Int = 10, _ change: (inout EventQuery) -> Void = { _ in }) -> EventQuery {
        var query = EventQuery(limit: limit)
        query.types = [.prompt]
        change(&query)
        return query
    }

    /// The bounds of all steps, where each finds nothing.
    private func steps(_ scan: inout EventScan) -> [[Int64?]] {
        var steps: [[Int64?]] = []
        while let step = scan.next() {
            steps.append([step.after, step.before])
            scan.found(EventPage(events: []))
        }
        return steps
    }

    @Test func readsTheLogInStepsToItsEnd() {
        var scan = EventScan(query(), in: Self.log)
        let step = Self.step
        #expect(steps(&scan) == [[0, step + 1], [step, 2 * step + 1], [2 * step, 3 * step + 1]])
        #expect(scan.through == nil)
    }

    @Test func readsBackwardsFromTheEnd() {
        var scan = EventScan(
            query {
                $0.isDescending = true; $0.after = 7
            },
            in: Self.log
        )
        let step = Self.step
        #expect(steps(&scan) == [[2 * step, 3 * step + 1], [step, 2 * step + 1], [7, step + 1]])
        #expect(scan.through == nil)
    }

    @Test(arguments: [false, true])
    func endsWhereEnoughWasLookedAt(backwards: Bool) {
        var scan = EventScan(query { $0.isDescending = backwards }, in: Self.log, mostPlaces: 2 * Self.step)
        #expect(steps(&scan).count == 2)
        #expect(scan.through == (backwards ? Self.step + 1 : 2 * Self.step))
    }

    @Test func theLogsLastStepLeavesNothingBehind() {
        var scan = EventScan(query(), in: Self.log, mostPlaces: 3 * Self.step)
        #expect(steps(&scan).count == 3)
        #expect(scan.through == nil)
    }

    @Test(arguments: [(Int64.max, nil), (500_000, nil), (5, 6), (0, .min)] as [(Int64, Int64?)])
    func nothingIsReadOfWhatIsNotThere(after: Int64, before: Int64?) {
        var scan = EventScan(
            query {
                $0.after = after; $0.before = before
            },
            in: Self.log
        )
        #expect(scan.next() == nil)
        scan.found(EventPage(events: []))
        #expect(scan.through == nil)
    }

    @Test func aStepThatIsCutEndsThePage() {
        var scan = EventScan(query(), in: Self.log)
        scan.found(EventPage(events: [], through: 17))
        #expect(scan.through == 17)
        #expect(scan.next() == nil)
    }

    @Test func onlyConditionsWithoutAnIndexNeedIt() {
        #expect(EventScan.isNeeded(query()))
        #expect(!EventScan.isNeeded(query { $0.sessionID = "s" }))
        #expect(!EventScan.isNeeded(query { $0.workspaceID = "w" }))
        #expect(!EventScan.isNeeded(query { $0.offset = 1 }))
        #expect(!EventScan.isNeeded(EventQuery(limit: 10)))
        #expect(
            EventScan.isNeeded(
                query {
                    $0.types = []; $0.machine = .reported("m")
                }
            )
        )
        #expect(
            EventScan.isNeeded(
                query {
                    $0.types = []; $0.workspaceIDs = ["w"]
                }
            )
        )
    }
}

import EventModel
import Testing

@testable import Notifications

@Suite("Costs")
struct SpendingWatchTests {
    private func raised(_ costs: [(Double, String)], rules: DetectorRules) -> [Notification] {
        var script = Script()
        for (seconds, cost) in costs { script.add("Stop", seconds, #""total_cost_usd":\#(cost)"#) }
        var detector = NotificationDetector(rules: rules)
        return script.events.flatMap { detector.take($0) }.raised.filter { $0.kind == .costThreshold }
    }

    @Test("each threshold is told once a day, the highest of those that one event crosses")
    func thresholds() {
        let rules = DetectorRules(costThresholds: [1, 5, 10])
        let told = raised([(0, "0.6"), (60, "0.6"), (120, "0.1"), (180, "20"), (86_400, "2")], rules: rules)
        #expect(told.map(\.details.costUSD) == [1, 10, 1])
        #expect(Set(told.map(\.key)).count == 3)
    }

    @Test("the day begins where the rules say")
    func offset() {
        // 10:00 UTC is 23:00 of the same day, 11:00 is midnight.
        let rules = DetectorRules(costThresholds: [1], utcOffset: 13 * 3600)
        #expect(raised([(0, "0.6"), (3600, "0.6")], rules: rules).isEmpty)
        #expect(raised([(0, "0.6"), (3599, "0.6")], rules: rules).count == 1)
    }

    @Test("amounts that are none do not count, and yesterday's are not today's")
    func odd() {
        let rules = DetectorRules(costThresholds: [1])
        #expect(raised([(0, "-5"), (1, "null"), (2, #""7""#), (3, "1e400")], rules: rules).isEmpty)
        #expect(raised([(86_400, "0.5"), (0, "0.6")], rules: rules).isEmpty)
    }

    @Test("without thresholds nothing is told")
    func off() {
        #expect(raised([(0, "1000")], rules: DetectorRules()).isEmpty)
    }

    @Test("what was stored is read")
    func stored() {
        var watch = SpendingWatch()
        watch.day = 20_458
        watch.total = 12.34
        #expect(SpendingWatch(stored: watch.stored()) == watch)
        #expect(SpendingWatch(stored: []) == nil)
    }
}

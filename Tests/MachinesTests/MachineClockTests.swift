import EventModel
import Testing

@testable import Machines

struct MachineClockTests {
    private static let start = Timestamp(rfc3339: "2026-01-05T10:00:00Z") ?? .distantPast

    /// A machine whose clock is `offset` ahead after so many seconds.
    private func measured(_ seconds: [Double], offset: (Double) -> Double) -> MachineClock {
        var clock = MachineClock()
        for passed in seconds {
            let now = Self.start.adding(seconds: passed)
            clock.take(
                now.adding(seconds: offset(passed)),
                at: now,
                steady: Timestamp(microseconds: 0).adding(seconds: passed)
            )
        }
        return clock
    }

    @Test("the offset is the median of the last measurements, whatever a few of them say")
    func median() throws {
        #expect(MachineClock().reading == nil)
        let slow = measured((0..<9).map { Double($0) * 10 }) { $0 == 30 || $0 == 60 ? -400 : 2.5 }
        let reading = try #require(slow.reading)
        #expect(abs(reading.offsetSeconds - 2.5) < 1e-6 && reading.driftPPM == nil)
        #expect(reading.measuredAt == Self.start.adding(seconds: 80))
    }

    @Test("posts in a burst count once")
    func bursts() throws {
        let clock = measured([0, 0.1, 0.2, 4.9, 5, 10]) { $0 < 5 && $0 > 0 ? 1000 : 1 }
        #expect(abs(try #require(clock.reading).offsetSeconds - 1) < 1e-6)
    }

    @Test("drift shows after an hour", arguments: [-200.0, 0, 40])
    func drift(ppm: Double) throws {
        let minutes = (0...300).map { Double($0) * 60 }
        #expect(measured(Array(minutes[..<60])) { $0 * ppm / 1_000_000 }.reading?.driftPPM == nil)
        let reading = try #require(measured(minutes) { 7 + $0 * ppm / 1_000_000 }.reading)
        // The median is that of some minutes ago.
        #expect(abs(try #require(reading.driftPPM) - ppm) <= abs(ppm) * 0.05 + 0.1)
    }

    @Test("a clock that was set has no drift until an hour later")
    func step() throws {
        let minutes = (0...300).map { Double($0) * 60 }
        let clock = measured(minutes) { $0 < 17_000 ? 0 : 3600 }
        let reading = try #require(clock.reading)
        #expect(abs(reading.offsetSeconds - 3600) < 1e-6 && reading.driftPPM == nil)
        let later = measured(minutes + (301...400).map { Double($0) * 60 }) { $0 < 17_000 ? 0 : 3600 }
        #expect(abs(try #require(later.reading?.driftPPM)) < 1e-6)
    }

    @Test("false times make no more than a false offset of their machine")
    func hostile() throws {
        let reports = MachineReports()
        let (liar, other) = (MachineID(rawValue: 1), MachineID(rawValue: 2))
        reports.note(time: "2026-01-05T10:00:01.500Z", agent: nil, from: other, at: Self.start, steady: Self.start)
        let headers = ["", "now", "9999-12-31T23:59:59Z", "1970-01-01T00:00:00Z", String(repeating: "9", count: 5000)]
        for (number, header) in (0..<10_000).map({ ($0, headers[$0 % headers.count]) }) {
            let steady = Self.start.adding(seconds: Double(number) * 60)
            reports.note(time: header, agent: header, from: liar, at: steady, steady: steady)
            guard let reading = reports.clock(of: liar) else { continue }
            #expect(reading.offsetSeconds.isFinite && (reading.driftPPM ?? 0).isFinite)
        }
        #expect(reports.clock(of: other)?.offsetSeconds == 1.5)
        #expect(reports.clock(of: MachineID(rawValue: 3)) == nil)
    }

    @Test("no more machines than the bound are measured")
    func bound() {
        let reports = MachineReports()
        for number in 1...(MachineReports.maxMachines + 5) {
            reports.note(
                time: "2026-01-05T10:00:00Z",
                agent: nil,
                from: MachineID(rawValue: Int64(number)),
                at: Self.start,
                steady: Self.start
            )
        }
        let last = Int64(MachineReports.maxMachines)
        #expect(reports.clock(of: MachineID(rawValue: last)) != nil)
        #expect(reports.clock(of: MachineID(rawValue: last + 1)) == nil)
    }

    @Test(
        "the version is that of the hooks, and a plain one",
        arguments: [
            ("claude-monitor-hooks/0.3.0", "0.3.0"), ("claude-monitor-hooks/1.0.0-beta.2+7", "1.0.0-beta.2+7"),
            ("curl/8.1", nil), ("claude-monitor-hooks/", nil), ("claude-monitor-hooks/1 <b>", nil),
            ("claude-monitor-hooks/" + String(repeating: "1", count: 33), nil), (nil, nil),
        ] as [(String?, String?)]
    )
    func version(_ agent: String?, _ expected: String?) {
        let (reports, machine) = (MachineReports(), MachineID(rawValue: 1))
        reports.note(time: "2026-01-05T10:00:00Z", agent: agent, from: machine, at: Self.start, steady: Self.start)
        #expect(reports.hooksVersion(of: machine) == expected)
    }
}

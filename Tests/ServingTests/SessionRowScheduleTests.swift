import EventModel
import Testing

@testable import Serving

@Suite("Rows of sessions")
struct SessionRowScheduleTests {
    private func at(_ seconds: Double) -> Timestamp { Timestamp(microseconds: 1_000_000_000).adding(seconds: seconds) }

    @Test("the changes of a short time make one row")
    func gathered() {
        var rows = SessionRowSchedule()
        rows.changed("a", at: at(0))
        rows.changed("a", at: at(0.2))
        #expect(rows.take(at: at(0.25)).isEmpty)
        #expect(rows.wait(from: at(0.25)) == 0.05)
        #expect(rows.take(at: at(0.3)) == ["a"])
        #expect(rows.take(at: at(9)).isEmpty)
        #expect(rows.wait(from: at(9)) == nil)
    }

    @Test("a session that changes all the time has a row each second")
    func paced() {
        var rows = SessionRowSchedule()
        var sent: [Double] = []
        for step in 0..<100 {
            let now = Double(step) / 20
            rows.changed("a", at: at(now))
            if !rows.take(at: at(now)).isEmpty { sent.append(now) }
        }
        #expect(sent.count == 5)
        for (one, next) in zip(sent, sent.dropFirst()) { #expect(next - one > 0.999) }
    }

    @Test("another session does not wait for the first")
    func apart() {
        var rows = SessionRowSchedule()
        rows.changed("a", at: at(0))
        #expect(rows.take(at: at(0.4)) == ["a"])
        rows.changed("a", at: at(0.5))
        rows.changed("b", at: at(0.5))
        #expect(rows.take(at: at(0.9)) == ["b"])
        #expect(rows.take(at: at(1.4)) == ["a"])
    }

    @Test("at most a hundred are read at once, the longest due first")
    func bounded() {
        var rows = SessionRowSchedule()
        for number in 0..<150 { rows.changed("s\(1000 + number)", at: at(Double(number) / 1000)) }
        #expect(rows.take(at: at(5)) == (0..<100).map { "s\(1000 + $0)" })
        #expect(rows.take(at: at(5)).count == 50)
    }

    @Test("rows that were read before an erasure are not sent, even if their followers have changed meanwhile")
    func erased() {
        var rows = SessionRowSchedule()
        rows.erased()
        rows.readBegins()
        #expect(rows.isReading)
        let isFirstValid = rows.readEnds()
        rows.readBegins()
        rows.erased()
        rows.clear()
        #expect(rows.isReading)
        let isSecondValid = rows.readEnds()
        rows.readBegins()
        let isThirdValid = rows.readEnds()
        #expect([isFirstValid, isSecondValid, isThirdValid] == [true, false, true])
        #expect(!rows.isReading)
    }

    @Test("beyond the bound, clients are told to read their lists anew")
    func lost() {
        var rows = SessionRowSchedule()
        for number in 0..<SessionRowSchedule.mostWaiting { rows.changed("s\(number)", at: at(0)) }
        rows.changed("s0", at: at(0))
        #expect(!rows.needsReload)
        rows.changed("one more", at: at(0))
        #expect(rows.needsReload)
        rows.reloadSent()
        #expect(!rows.needsReload)
    }
}

import EventModel
import Testing

@testable import Access

@Suite("Rate limiter")
struct RateLimiterTests {
    private let limit = RateLimit(requestsPerSecond: 10, burst: 5)
    private let start = Timestamp(microseconds: 1_767_607_200_000_000)

    @Test("a burst passes, the next request is told exactly how long to wait")
    func burst() {
        var rate = CellRate()
        for remaining in (0..<5).reversed() {
            let verdict = rate.take(limit, now: start)
            #expect(verdict.retryAfter == nil)
            #expect(verdict.remaining == remaining)
        }
        let refused = rate.take(limit, now: start)
        #expect(abs((refused.retryAfter ?? 0) - 0.1) < 0.000_01)
        #expect(refused.error?.status == 429)
        #expect(refused.error?.retryAfter == 1)
        #expect(rate.take(limit, now: start.adding(seconds: 0.1)).retryAfter == nil)
    }

    @Test("the long-run rate is the limit")
    func sustained() {
        var rate = CellRate()
        let passed = (0..<10_000).filter {
            rate.take(limit, now: start.adding(seconds: Double($0) / 100)).retryAfter == nil
        }
        #expect((1000...1006).contains(passed.count))
    }

    @Test("a clock that is set back does not lock anybody out")
    func clockSetBack() {
        var rate = CellRate()
        _ = rate.take(limit, now: start)
        #expect(rate.take(limit, now: start.adding(seconds: -3600)).retryAfter == nil)
    }

    @Test("keys do not share a bucket; without a limit there is none")
    func keys() {
        let limiter = RateLimiter(machines: RateLimit(requestsPerSecond: 1, burst: 1), clients: nil)
        #expect(limiter.take(.key(1), now: start)?.retryAfter == nil)
        #expect(limiter.take(.key(1), now: start)?.retryAfter != nil)
        #expect(limiter.take(.key(2), now: start)?.retryAfter == nil)
        let both = RateLimiter(
            machines: RateLimit(requestsPerSecond: 2, burst: 4),
            clients: RateLimit(requestsPerSecond: 1, burst: 3)
        )
        #expect(both.peek(.key(1), now: start)?.limit == 4 && both.peek(.apiKey(1, limit: nil), now: start)?.limit == 3)
        #expect(both.full(now: start)?.limit == 3)
        #expect(RateLimiter(machines: nil, clients: nil).take(.key(1), now: start) == nil)
    }
}

import EventModel
import HTTPModel
import Testing

@testable import Access

@Suite("AttemptLimiter")
struct AttemptLimiterTests {
    private let now = Timestamp(microseconds: 1_800_000_000_000_000)
    private let limiter = AttemptLimiter(
        perPeer: RateLimit(requestsPerSecond: 0.1, burst: 3),
        overAll: RateLimit(requestsPerSecond: 1, burst: 10)
    )

    private func allowed(_ attempts: Int, from peer: (Int) -> String, after seconds: Double = 0) -> Int {
        (0..<attempts).count { attempt in
            (try? limiter.take(peer: peer(attempt), now: now.adding(seconds: seconds))) != nil
        }
    }

    @Test("one peer has its burst, then one attempt in ten seconds")
    func perPeer() {
        #expect(allowed(20, from: { _ in "192.0.2.1" }) == 3)
        #expect(allowed(20, from: { _ in "192.0.2.1" }, after: 9.9) == 0)
        #expect(allowed(20, from: { _ in "192.0.2.1" }, after: 10) == 1)
        let error = #expect(throws: APIError.self) { try limiter.take(peer: "192.0.2.1", now: now.adding(seconds: 10)) }
        #expect(error?.status == 429)
        #expect(error?.retryAfter == 10)
    }

    @Test("a peer that is refused takes nothing from the others")
    func othersGoOn() {
        _ = allowed(1000, from: { _ in "192.0.2.1" })
        #expect(allowed(3, from: { _ in "192.0.2.2" }) == 3)
    }

    @Test("many peers together have one limit")
    func overAll() {
        #expect(allowed(50_000, from: { "198.51.\($0 >> 8).\($0 & 255)" }) == 10)
        #expect(allowed(50_000, from: { "203.0.\($0 >> 8).\($0 & 255)" }, after: 1) == 1)
    }

    @Test("an IPv6 network of 64 bits is one peer")
    func networks() {
        #expect(allowed(100, from: { "2001:db8:1:2::\($0)" }) == 3)
        #expect(AttemptLimiter.key(of: "2001:DB8::1") == "2001:db8:0:0")
        #expect(AttemptLimiter.key(of: "2001:db8:1:2:3:4:5:6") == "2001:db8:1:2")
        #expect(AttemptLimiter.key(of: "::1") == "0:0:0:0")
        #expect(AttemptLimiter.key(of: "1::2:3:4:5:6:7") == "1:0:2:3")
        #expect(AttemptLimiter.key(of: "::ffff:192.0.2.1") == "::ffff:192.0.2.1")
        #expect(AttemptLimiter.key(of: "192.0.2.1") == "192.0.2.1")
        #expect(AttemptLimiter.key(of: "") == "")
    }

    @Test("success is not charged, for the peer and over all")
    func success() throws {
        for _ in 0..<100 {
            try limiter.take(peer: "192.0.2.1", now: now)
            limiter.giveBack(peer: "192.0.2.1")
        }
        #expect(allowed(20, from: { _ in "192.0.2.1" }) == 3)
    }

    @Test("failures are charged, then answered with 429, and nothing is refused beforehand")
    func failures() {
        let failure = APIError(.authentication, status: 401, code: "wrong", message: "It is wrong.")
        let answers = (0..<20).map { _ in limiter.charge(failure, peer: "192.0.2.1", now: now).status }
        #expect(answers == [401, 401, 401] + [Int](repeating: 429, count: 17))
        #expect(limiter.charge(failure, peer: "192.0.2.2", now: now).status == 401)
    }

    @Test("without a limit over all a peer has its own alone")
    func noLimitOverAll() {
        let limiter = AttemptLimiter(perPeer: RateLimit(requestsPerSecond: 1, burst: 1), overAll: nil)
        for number in 0..<1000 {
            #expect(throws: Never.self) { try limiter.take(peer: "device-\(number)", now: now) }
        }
        #expect(throws: APIError.self) { try limiter.take(peer: "device-1", now: now) }
    }
}

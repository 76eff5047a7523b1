import EventModel
import JSON
import Testing

@testable import Access

@Suite("AppleKeyCache")
struct AppleKeyCacheTests {
    private static let signer = try? AppleSigner()
    private let start = Timestamp(microseconds: 1_800_000_000_000_000)

    private enum Told: Equatable {
        case use
        case fetch
        case unknownKey
        case unavailable
    }

    private func keys(_ names: [String] = ["a"]) throws -> AppleKeySet {
        let signer = try #require(Self.signer)
        let members = try names.map { try signer.jwk(["kid": .string($0)]) }
        return try #require(AppleKeySet(AppleSigner.document(members)))
    }

    private func told(_ cache: AppleKeyCache, _ keyID: String = "a", after seconds: Double) -> Told {
        switch cache.step(keyID: keyID, now: start.adding(seconds: seconds)) {
        case .use: .use
        case .fetch: .fetch
        case .unknownKey: .unknownKey
        case .unavailable: .unavailable
        }
    }

    private func filled(maxAge: Int?) throws -> AppleKeyCache {
        var cache = AppleKeyCache()
        cache.fetched(try keys(), maxAge: maxAge, now: start)
        return cache
    }

    @Test("keys are fetched when they are first needed, and used as long as the answer allows")
    func lifetime() throws {
        #expect(told(AppleKeyCache(), after: 0) == .fetch)
        let cache = try filled(maxAge: 1000)
        #expect(told(cache, after: 999) == .use)
        #expect(told(cache, after: 1000) == .fetch)
    }

    @Test("no answer makes them be fetched all the time or kept for ever")
    func bounds() throws {
        #expect(told(try filled(maxAge: 0), after: 299) == .use)
        #expect(told(try filled(maxAge: 0), after: 300) == .fetch)
        #expect(told(try filled(maxAge: 100_000_000), after: 86_401) == .fetch)
        #expect(told(try filled(maxAge: nil), after: 3599) == .use)
        #expect(told(try filled(maxAge: nil), after: 3600) == .fetch)
    }

    @Test("an unknown key has them fetched once a minute at most")
    func unknownKey() throws {
        var cache = try filled(maxAge: 3600)
        #expect(told(cache, "b", after: 59) == .unknownKey)
        #expect(told(cache, "b", after: 60) == .fetch)
        cache.fetched(try keys(["a", "b"]), maxAge: 3600, now: start.adding(seconds: 60))
        #expect(told(cache, "b", after: 61) == .use)
        #expect(told(cache, "c", after: 61) == .unknownKey)
        #expect(told(cache, "c", after: 120) == .fetch)
    }

    @Test("while they cannot be fetched those there are go on for a day")
    func stale() throws {
        var cache = try filled(maxAge: 1000)
        cache.failed(now: start.adding(seconds: 1000))
        #expect(told(cache, after: 1001) == .use)
        #expect(told(cache, "b", after: 1001) == .unavailable)
        #expect(told(cache, after: 1010) == .fetch)
        cache.failed(now: start.adding(seconds: 1000 + 86_400))
        #expect(told(cache, after: 1000 + 86_401) == .unavailable)
    }

    @Test("a failed fetch is not tried again at once")
    func pauseAfterFailure() {
        var cache = AppleKeyCache()
        cache.failed(now: start)
        #expect(told(cache, after: 9.9) == .unavailable)
        #expect(told(cache, after: 10) == .fetch)
    }

    @Test("a failure does not turn fresh keys away")
    func failureWhileFresh() throws {
        var cache = try filled(maxAge: 3600)
        cache.failed(now: start.adding(seconds: 60))
        #expect(told(cache, after: 61) == .use)
        #expect(told(cache, "b", after: 61) == .unknownKey)
    }

    @Test("a clock that was set back does not make it wait for ever")
    func clockSetBack() {
        var cache = AppleKeyCache()
        cache.failed(now: start.adding(seconds: 100_000))
        #expect(told(cache, after: 0) == .fetch)
    }
}

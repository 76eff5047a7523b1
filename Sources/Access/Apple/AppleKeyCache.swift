package import EventModel
package import Signing

/// Decides when Apple's keys are fetched and how long they are used.
///
/// Keys are kept as long as the response allows. An unknown key id may belong to a new key, so it triggers an early
/// fetch, but at a limited rate: invented key ids must not make this server call Apple at will. If a fetch fails, the
/// existing keys are used for up to a day.
package struct AppleKeyCache: Sendable {
    package enum Step: Sendable {
        case use(RS256PublicKey)
        /// Fetch the keys, report the outcome, and ask again.
        case fetch
        /// The keys are available, and this key is not among them.
        case unknownKey
        /// No keys are available. The value is the number of seconds until a retry makes sense.
        case unavailable(retryAfter: Int)
    }

    static let lifetime = 300.0...86_400.0
    /// Seconds between two fetches because of unknown keys, and after a failed fetch.
    static let pause = 60.0
    static let pauseAfterFailure = 10.0
    static let staleSeconds = 86_400.0

    private var keys: AppleKeySet?
    private var freshUntil = Timestamp(microseconds: 0)
    private var fetchedAt: Timestamp?
    private var failedAt: Timestamp?

    package init() {}

    package func step(keyID: String, now: Timestamp) -> Step {
        let known = keys?[keyID]
        if let known, now < freshUntil { return .use(known) }
        let isPaused = AppleKeyCache.isRecent(failedAt, within: AppleKeyCache.pauseAfterFailure, now)
        let isTried = AppleKeyCache.isRecent(fetchedAt, within: AppleKeyCache.pause, now)
        if !isPaused, keys == nil || now >= freshUntil || !isTried { return .fetch }
        if let known, now < freshUntil.adding(seconds: AppleKeyCache.staleSeconds) { return .use(known) }
        if keys != nil, now < freshUntil { return .unknownKey }
        return .unavailable(retryAfter: Int(AppleKeyCache.pauseAfterFailure))
    }

    /// - Parameter maxAge: seconds for which the response may be kept, or `nil` if it does not say.
    package mutating func fetched(_ keys: AppleKeySet, maxAge: Int?, now: Timestamp) {
        let range = AppleKeyCache.lifetime
        let seconds = min(max(Double(maxAge ?? 3600), range.lowerBound), range.upperBound)
        (self.keys, freshUntil, fetchedAt, failedAt) = (keys, now.adding(seconds: seconds), now, nil)
    }

    package mutating func failed(now: Timestamp) {
        failedAt = now
    }

    /// A clock that was set back does not extend the wait.
    private static func isRecent(_ time: Timestamp?, within seconds: Double, _ now: Timestamp) -> Bool {
        time.map { (0..<seconds).contains(now.seconds(since: $0)) } ?? false
    }
}

public import EventModel
public import Signing

/// When Apple's keys are fetched, and for how long they are used.
///
/// They are kept as long as their answer allows. A key that is not among them may be new, so they are fetched before
/// their time, but only once in a while: whoever makes up key ids must not have this server call Apple at will. Where
/// they cannot be fetched, those there are go on for a day.
public struct AppleKeyCache: Sendable {
    public enum Step: Sendable {
        case use(RS256PublicKey)
        /// Fetch, tell the outcome, ask again.
        case fetch
        /// The keys are known, and this is none of them.
        case unknownKey
        /// There are no keys now; seconds after which it makes sense to ask again.
        case unavailable(retryAfter: Int)
    }

    static let lifetime = 300.0...86_400.0
    /// Seconds between two fetches because of unknown keys, and after one that failed.
    static let pause = 60.0
    static let pauseAfterFailure = 10.0
    static let staleSeconds = 86_400.0

    private var keys: AppleKeySet?
    private var freshUntil = Timestamp(microseconds: 0)
    private var fetchedAt: Timestamp?
    private var failedAt: Timestamp?

    public init() {}

    public func step(keyID: String, now: Timestamp) -> Step {
        let known = keys?[keyID]
        if let known, now < freshUntil { return .use(known) }
        let isPaused = AppleKeyCache.isRecent(failedAt, within: AppleKeyCache.pauseAfterFailure, now)
        let isTried = AppleKeyCache.isRecent(fetchedAt, within: AppleKeyCache.pause, now)
        if !isPaused, keys == nil || now >= freshUntil || !isTried { return .fetch }
        if let known, now < freshUntil.adding(seconds: AppleKeyCache.staleSeconds) { return .use(known) }
        if keys != nil, now < freshUntil { return .unknownKey }
        return .unavailable(retryAfter: Int(AppleKeyCache.pauseAfterFailure))
    }

    /// - Parameter maxAge: seconds that the answer may be kept; `nil` where it does not say.
    public mutating func fetched(_ keys: AppleKeySet, maxAge: Int?, now: Timestamp) {
        let range = AppleKeyCache.lifetime
        let seconds = min(max(Double(maxAge ?? 3600), range.lowerBound), range.upperBound)
        (self.keys, freshUntil, fetchedAt, failedAt) = (keys, now.adding(seconds: seconds), now, nil)
    }

    public mutating func failed(now: Timestamp) {
        failedAt = now
    }

    /// A clock that was set back does not make it wait for ever.
    private static func isRecent(_ time: Timestamp?, within seconds: Double, _ now: Timestamp) -> Bool {
        time.map { (0..<seconds).contains(now.seconds(since: $0)) } ?? false
    }
}

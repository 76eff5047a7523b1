public import EventModel
public import Logging
internal import Signing
internal import Synchronization

/// The only source of provider tokens for a key. Clients of both environments may share it. See
/// `ProviderTokenSchedule`.
public final class ProviderTokens: Sendable {
    private let key: ProviderKey
    private let file: ProviderTokenFile?
    private let clock: @Sendable () -> Timestamp
    private let logger: Logger
    private let current: Mutex<ProviderToken?>

    /// - Parameter path: where the last token is stored across restarts. `nil` keeps it in memory only, so every
    ///   start makes a new one.
    public init(key: ProviderKey, path: String?, logger: Logger, clock: @escaping @Sendable () -> Timestamp) {
        self.key = key
        file = path.map { ProviderTokenFile(path: $0) }
        self.logger = logger
        self.clock = clock
        current = Mutex(file?.read(keyID: key.keyID, teamID: key.teamID))
    }

    /// Seconds since the newest token was made; `nil` if there is none.
    public var age: Double? { current.withLock { $0 }.map { age(of: $0) } }

    /// Returns the token for a connection's next push. `held` is the token of its last push.
    func token(held: ProviderToken?) throws(SigningError) -> ProviderToken {
        if let held, ProviderTokenSchedule.mayBeHeld(mintedAt: held.mintedAt, now: clock()) { return held }
        let (token, fileFault) = try current.withLock { current throws(SigningError) -> (ProviderToken, Int32) in
            // Read under the lock. If a thread read the clock before, another thread's token could appear to be from
            // the future.
            let now = clock()
            if let known = current, ProviderTokenSchedule.mayBeTaken(mintedAt: known.mintedAt, now: now) {
                return (known, 0)
            }
            if let stored = file?.read(keyID: key.keyID, teamID: key.teamID),
                ProviderTokenSchedule.mayBeTaken(mintedAt: stored.mintedAt, now: now)
            {
                current = stored
                return (stored, 0)
            }
            let minted = try key.mint(at: now)
            current = minted
            return (minted, file?.write(minted, keyID: key.keyID, teamID: key.teamID) ?? 0)
        }
        if fileFault != 0 {
            logger.warning("provider token not kept for the next start", metadata: ["errno": "\(fileFault)"])
        }
        return token
    }

    /// Seconds since the token was made.
    func age(of token: ProviderToken) -> Double { clock().seconds(since: token.mintedAt) }
}

internal import EventModel

/// Decides when provider tokens are made and when a connection changes to a new one.
///
/// Apple refuses a token older than 60 minutes, and more than one change in 20 minutes on a connection
/// (TooManyProviderTokenUpdates).
///
/// Rule: a connection adopts a token only while it is at most 30 minutes old, and keeps it until it is 50 minutes
/// old. So at least 50 - 30 = 20 minutes pass between two changes on a connection, and a token in use is never older
/// than 50 minutes. A token is made only when the last one is older than 30 minutes, so two are never made within 30
/// minutes. This holds for any number of connections and, because the last token is stored in a file, of restarts.
///
/// All this assumes a clock that does not go back. If it goes back by more than `toleratedFuture`, a token whose time
/// is in the future is replaced, because Apple would refuse it too.
struct ProviderTokenSchedule: Sendable {
    static let youngAge = 30.0 * 60
    static let heldAge = 50.0 * 60
    static let toleratedFuture = 5.0 * 60

    /// Whether a connection may adopt a token made at `mintedAt`.
    static func mayBeTaken(mintedAt: Timestamp, now: Timestamp) -> Bool {
        let age = now.seconds(since: mintedAt)
        return age <= youngAge && age >= -toleratedFuture
    }

    /// Whether a connection may keep a token made at `mintedAt`.
    static func mayBeHeld(mintedAt: Timestamp, now: Timestamp) -> Bool {
        let age = now.seconds(since: mintedAt)
        return age < heldAge && age >= -toleratedFuture
    }
}

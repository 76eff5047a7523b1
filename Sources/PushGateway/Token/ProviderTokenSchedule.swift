internal import EventModel

/// When provider tokens are made and when a connection changes to another.
///
/// Apple refuses a token older than 60 minutes, and more than one change in 20 minutes on a connection
/// (TooManyProviderTokenUpdates).
///
/// Rule: a connection takes a token only while that is at most 30 minutes old, and holds it until it is 50 minutes
/// old. So between two changes on a connection lie at least 50 - 30 = 20 minutes; a token in use is never older than
/// 50; and as one is made only when the last is older than 30, two are never made within 30 minutes, whatever the
/// number of connections and, the last one being kept in a file, of restarts.
///
/// All this holds on a clock that does not go back. Where it does, by more than `toleratedFuture`, a token that says
/// it was made in the future is replaced, since Apple would not take it either.
struct ProviderTokenSchedule: Sendable {
    static let youngAge = 30.0 * 60
    static let heldAge = 50.0 * 60
    static let toleratedFuture = 5.0 * 60

    /// Whether a connection may take a token made at `mintedAt`.
    static func mayBeTaken(mintedAt: Timestamp, now: Timestamp) -> Bool {
        let age = now.seconds(since: mintedAt)
        return age <= youngAge && age >= -toleratedFuture
    }

    /// Whether a connection that has a token made at `mintedAt` keeps it.
    static func mayBeHeld(mintedAt: Timestamp, now: Timestamp) -> Bool {
        let age = now.seconds(since: mintedAt)
        return age < heldAge && age >= -toleratedFuture
    }
}

package import EventModel

/// Decides when the rows of changed sessions are read and sent to clients that show lists. Pure: `now` is on the
/// steady clock.
package struct SessionRowSchedule {
    /// Seconds from a change to the row, in which the events of one tool call come together.
    package static let gatherSeconds = 0.3
    /// Seconds between two rows of one session.
    package static let sessionSeconds = 1.0
    /// Maximum number of sessions whose rows are read at once. The others follow in the next turn.
    package static let mostRead = 100

    /// Maximum number of sessions whose rows wait. Changes of further sessions are not kept: see `needsReload`.
    package static let mostWaiting = 10_000

    /// When the row of each changed session is due.
    private var due: [String: Timestamp] = [:]
    private var sent: [String: Timestamp] = [:]
    /// Whether changes were dropped. Clients must then reload their lists.
    package private(set) var needsReload = false
    /// Whether rows are being read.
    package private(set) var isReading = false
    /// Whether sessions were erased since the read began.
    private var isStale = false

    package init() {}

    /// Seconds until the next row is due, at least 0; `nil` if none waits.
    package func wait(from now: Timestamp) -> Double? {
        due.values.min().map { max(0, $0.seconds(since: now)) }
    }

    package mutating func changed(_ session: String, at now: Timestamp) {
        guard due[session] == nil else { return }
        guard due.count < SessionRowSchedule.mostWaiting else { return needsReload = true }
        let soon = now.adding(seconds: SessionRowSchedule.gatherSeconds)
        due[session] = max(soon, sent[session]?.adding(seconds: SessionRowSchedule.sessionSeconds) ?? soon)
    }

    /// Removes and returns the sessions whose rows are to be read now, the longest due first.
    package mutating func take(at now: Timestamp) -> [String] {
        sent = sent.filter { now.seconds(since: $0.value) < SessionRowSchedule.sessionSeconds }
        let ready = due.filter { $0.value <= now }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        let taken = ready.prefix(SessionRowSchedule.mostRead).map(\.key)
        for session in taken {
            due[session] = nil
            sent[session] = now
        }
        return taken
    }

    /// At most one read is in progress.
    package mutating func readBegins() { (isReading, isStale) = (true, false) }

    /// Returns whether the rows may be sent. If sessions were erased in the meantime, they may be among the rows.
    package mutating func readEnds() -> Bool {
        isReading = false
        return !isStale
    }

    /// Sessions were erased from the store.
    package mutating func erased() { isStale = true }

    /// All clients know that they must read their lists anew.
    package mutating func reloadSent() { needsReload = false }

    /// Nobody follows rows any more. A read in progress goes on.
    package mutating func clear() {
        (due, sent, needsReload) = ([:], [:], false)
    }
}

internal import EventModel
internal import Synchronization

/// Counts refusals that anyone can cause at will.
///
/// Each kind gets one audit row at its first refusal in an hour, and one for the rest at the hour's end. Up to 64 kinds
/// differ by actor and object. Beyond that, kinds differ by action and result only, which have few values. This
/// bounds the number of rows in an hour.
struct AuditTally {
    private struct Kind: Hashable {
        var actor: String
        var action: String
        var object: String?
        var result: String
    }

    private struct Count {
        var hour: Int64
        /// Attempts that are not in a row yet.
        var attempts: Int64 = 0
        var isTold = false
        /// Has the time, address and request of the latest attempt.
        var latest: AuditEntry
    }

    static let maximumDetailedKinds = 64
    private var counts: [Kind: Count] = [:]

    mutating func note(_ entry: AuditEntry) {
        var entry = entry
        var kind = Kind(actor: entry.actor, action: entry.action, object: entry.object, result: entry.result)
        if counts[kind] == nil, counts.count >= AuditTally.maximumDetailedKinds {
            (entry.actor, entry.object) = ("anonymous", nil)
            kind = Kind(actor: entry.actor, action: entry.action, object: nil, result: entry.result)
        }
        var count = counts[kind] ?? Count(hour: AuditTally.hour(of: entry.at), latest: entry)
        count.attempts += 1
        count.latest = entry
        counts[kind] = count
    }

    /// The rows to be written now.
    mutating func due(now: Timestamp) -> [AuditEntry] {
        let hour = AuditTally.hour(of: now)
        return take { $0.hour != hour ? .forget : $0.isTold ? .keep : .tell }
    }

    /// The rows for all remaining attempts, at the end.
    mutating func rest() -> [AuditEntry] { take { _ in .forget } }

    private enum Fate {
        case keep
        case tell
        case forget
    }

    private mutating func take(_ fate: (Count) -> Fate) -> [AuditEntry] {
        var rows: [AuditEntry] = []
        for (kind, count) in counts {
            let fate = fate(count)
            guard fate != .keep else { continue }
            if count.attempts > 0 {
                var entry = count.latest
                entry.attempts = count.attempts
                rows.append(entry)
            }
            counts[kind]?.attempts = 0
            counts[kind]?.isTold = true
            if fate == .forget { counts[kind] = nil }
        }
        return rows.sorted { ($0.at, $0.action, $0.result) < ($1.at, $1.action, $1.result) }
    }

    private static func hour(of time: Timestamp) -> Int64 { time.microseconds / 3_600_000_000 }
}

/// The tally of this process.
final class SharedAuditTally: Sendable {
    private let tally = Mutex(AuditTally())

    func note(_ entry: AuditEntry) { tally.withLock { $0.note(entry) } }
    func due(now: Timestamp) -> [AuditEntry] { tally.withLock { $0.due(now: now) } }
    func rest() -> [AuditEntry] { tally.withLock { $0.rest() } }
}

internal import EventModel

/// The log records of a session's telemetry that have arrived, identified by the numbers that the client gave them.
/// Each process counts from 0, so the numbers of a resumed session begin again. Records may arrive repeatedly and in
/// any order.
struct RecordRuns: Equatable {
    /// The maximum number of parts kept. Beyond it, the oldest gap is given up, and its numbers count as missing
    /// permanently.
    static let maximumParts = 64

    /// Consecutive numbers.
    struct Part: Equatable {
        var first: Int64
        var last: Int64
        /// Microseconds.
        var since: Int64
        var until: Int64
        /// Whether the session has no earlier records in the same process.
        var isStart: Bool

        /// Whether `later` begins where this part ends.
        func continues(into later: Part) -> Bool { !later.isStart && later.first == last + 1 }

        func contains(_ other: Part) -> Bool {
            first <= other.first && other.last <= last && since <= other.since && other.until <= until
        }
    }

    /// Sorted by time.
    private(set) var parts: [Part] = []
    /// Numbers in gaps that were given up.
    private(set) var lost: Int64 = 0

    /// Numbers that have not arrived.
    var missing: Int64 {
        var missing = lost
        var end: Int64 = -1
        for part in parts {
            missing += RecordRuns.gap(from: end, to: part)
            end = part.last
        }
        return missing
    }

    /// A part that does not continue the count belongs to another process, whose first numbers are missing.
    private static func gap(from end: Int64, to part: Part) -> Int64 {
        if part.isStart { return 0 }
        return part.first > end ? part.first - end - 1 : part.first
    }

    /// The first number, if the numbers before it may belong to another session.
    var openStart: Int64? { parts.first.flatMap { $0.isStart ? nil : $0.first } }

    /// Records that the numbers before the first one do not belong to the session.
    mutating func closeStart() {
        if !parts.isEmpty { parts[0].isStart = true }
    }

    /// Returns whether any number is new.
    @discardableResult
    mutating func insert(_ numbers: RecordNumbers) -> Bool {
        let new = Part(
            first: numbers.first,
            last: numbers.last,
            since: numbers.since.microseconds,
            until: numbers.until.microseconds,
            isStart: numbers.isStart
        )
        guard !parts.contains(where: { $0.contains(new) }) else { return false }
        let place = parts.firstIndex { ($0.since, $0.first) > (new.since, new.first) } ?? parts.endIndex
        parts.insert(new, at: place)
        join(at: place)
        if place > 0 { join(at: place - 1) }
        if parts.count > RecordRuns.maximumParts { giveUpOldestGap() }
        return true
    }

    /// Joins a part with the next one if the next one continues the count.
    private mutating func join(at place: Int) {
        guard place + 1 < parts.count, parts[place].continues(into: parts[place + 1]) else { return }
        parts[place].last = parts[place + 1].last
        parts[place].until = max(parts[place].until, parts[place + 1].until)
        parts.remove(at: place + 1)
    }

    private mutating func giveUpOldestGap() {
        lost += RecordRuns.gap(from: parts[0].last, to: parts[1])
        // The first part's own gap stays in front of it.
        parts[1].isStart = true
        lost += RecordRuns.gap(from: -1, to: parts[0])
        parts.removeFirst()
    }
}

/// The stored text: the lost numbers, then `first last since until start` of each part.
extension RecordRuns {
    var stored: String {
        let texts = parts.map { "\($0.first) \($0.last) \($0.since) \($0.until) \($0.isStart ? 1 : 0)" }
        return (["\(lost)"] + texts).joined(separator: ",")
    }

    /// Returns `nil` for text that `stored` does not produce.
    init?(stored: String) {
        let texts = stored.split(separator: ",")
        guard let lost = texts.first.flatMap({ Int64($0) }) else { return nil }
        self.lost = lost
        for text in texts.dropFirst() {
            let words = text.split(separator: " ").compactMap { Int64($0) }
            guard words.count == 5, words[0] <= words[1] else { return nil }
            parts.append(
                Part(first: words[0], last: words[1], since: words[2], until: words[3], isStart: words[4] == 1)
            )
        }
    }
}

import EventModel
import Workers

/// How long a read waits for a projection.
struct ProjectionWait {
    enum Found<Value: Sendable>: Sendable {
        case value(Value)
        /// The rows are behind; the value is the end of the log.
        case behind(Int64)
    }

    static let message = "what is derived from the log does not hold all events yet"

    private let deadline: Timestamp
    /// If another server leads, only the database knows its progress, so the read asks again soon.
    private var backoff = Backoff(0.01...0.05)
    /// The end of the log when the read arrived; `nil` if not queried yet.
    private(set) var target: Int64?

    init(seconds: Double, now: Timestamp) {
        deadline = now.adding(seconds: seconds)
    }

    /// Seconds until the read checks again, or `nil` if the read has timed out.
    ///
    /// - Parameter end: the current end of the log.
    mutating func next(end: Int64, at now: Timestamp) -> Double? {
        if target == nil { target = end }
        guard now < deadline else { return nil }
        return backoff.next()
    }
}

extension ProjectionPlace {
    /// Whether the rows hold all events up to `seq` and were made by this version.
    func holds(_ seq: Int64, version: Int64) -> Bool {
        guard let cursor else { return false }
        return cursor.version == version && cursor.epoch == epoch && cursor.seq >= seq
    }
}

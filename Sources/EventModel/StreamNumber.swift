/// The number that a machine gave to an event that it sent, so that lost events can be counted.
public struct StreamNumber: Sendable, Equatable {
    /// Numbers above it are rejected.
    public static let maximum: Int64 = 1 << 53
    public static let maximumID = 64

    /// Identifies the stream. A machine begins a new stream when it has lost its counters.
    public var id: String
    /// Counts all events of the stream from 1.
    public var number: Int64
    /// Counts the events of the session from 1; `nil` outside any session.
    public var sessionNumber: Int64?

    /// Returns `nil` for numbers that no sender can reach.
    public init?(id: String, number: Int64, sessionNumber: Int64?) {
        guard (1...StreamNumber.maximumID).contains(id.utf8.count), (1...StreamNumber.maximum).contains(number),
            sessionNumber.map((1...StreamNumber.maximum).contains) ?? true
        else { return nil }
        (self.id, self.number, self.sessionNumber) = (id, number, sessionNumber)
    }
}

/// How many of the events that a machine numbered have arrived.
public struct Completeness: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        case complete
        /// Complete, after events had been missing for some time.
        case recovered
        case missing
        /// The sender does not number its events.
        case unknown
    }

    /// Events that arrived after later ones.
    public var recovered: Int64
    /// Number of missing numbers below the highest.
    public var missing: Int64
    private var isNumbered: Bool

    public static let unknown = Completeness()

    public init(recovered: Int64, missing: Int64) {
        (self.recovered, self.missing, isNumbered) = (recovered, missing, true)
    }

    private init() {
        (recovered, missing, isNumbered) = (0, 0, false)
    }

    public var state: State {
        guard isNumbered else { return .unknown }
        return missing > 0 ? .missing : recovered > 0 ? .recovered : .complete
    }
}

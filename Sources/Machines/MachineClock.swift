package import EventModel

/// Measures how a machine's clock differs from the server's, from the times that the machine sends with its posts.
///
/// The time is sent when the request starts, so the offset is too low by the time that the request takes to arrive.
/// The offset changes no event's time. It tells how long ago an event happened on the server's clock.
package struct MachineClock: Sendable, Equatable {
    /// Minimum number of seconds between two measurements. Posts in between are ignored.
    static let spacing = 5.0
    /// Number of measurements from which the median is calculated.
    static let keptOffsets = 9
    /// Seconds between two stored offsets. The drift is the change since the oldest stored offset.
    static let markSpacing = 3600.0
    /// Maximum number of stored offsets.
    static let keptMarks = 24
    /// No clock drifts by more than `maxDrift` seconds per second plus some uncertainty. A larger change means that the
    /// clock was set.
    static let maxDrift = 0.0005
    static let uncertainty = 2.0

    private struct Mark: Sendable, Equatable {
        /// On the server's steady clock.
        var at: Timestamp
        var offset: Double
    }

    /// The newest ones, oldest first.
    private var offsets: [Double] = []
    private var marks: [Mark] = []
    private var lastAt: Timestamp?
    private var measuredAt: Timestamp?

    package init() {}

    package struct Reading: Sendable, Equatable {
        /// The machine's time minus the server's: the median of the last measurements.
        package var offsetSeconds: Double
        /// Microseconds that the machine's clock gains in a second; `nil` before an hour has passed, and in the hour
        /// after the clock was set.
        package var driftPPM: Double?
        /// The last measurement, by the server's clock.
        package var measuredAt: Timestamp
    }

    package var reading: Reading? {
        guard let offset, let measuredAt else { return nil }
        return Reading(offsetSeconds: offset, driftPPM: drift(to: offset), measuredAt: measuredAt)
    }

    /// Whether `take` would use a measurement at this moment of the steady clock.
    func isDue(steady: Timestamp) -> Bool {
        lastAt.map { steady.seconds(since: $0) >= MachineClock.spacing } ?? true
    }

    /// - Parameters:
    ///   - stated: the machine's time.
    ///   - server: the server's time at that moment.
    ///   - steady: the same moment on a monotonic clock.
    mutating func take(_ stated: Timestamp, at server: Timestamp, steady: Timestamp) {
        guard isDue(steady: steady) else { return }
        (lastAt, measuredAt) = (steady, server)
        offsets.append(stated.seconds(since: server))
        if offsets.count > MachineClock.keptOffsets { offsets.removeFirst() }
        if let offset { mark(offset, steady) }
    }

    private var offset: Double? {
        guard !offsets.isEmpty else { return nil }
        return offsets.sorted()[offsets.count / 2]
    }

    private mutating func mark(_ offset: Double, _ now: Timestamp) {
        if let last = marks.last {
            let passed = now.seconds(since: last.at)
            let isSet = abs(offset - last.offset) > MachineClock.maxDrift * passed + MachineClock.uncertainty
            if isSet { marks = [] }
            guard isSet || passed >= MachineClock.markSpacing else { return }
        }
        marks.append(Mark(at: now, offset: offset))
        if marks.count > MachineClock.keptMarks { marks.removeFirst() }
    }

    private func drift(to offset: Double) -> Double? {
        guard let first = marks.first, let lastAt else { return nil }
        let passed = lastAt.seconds(since: first.at)
        return passed >= MachineClock.markSpacing ? (offset - first.offset) / passed * 1_000_000 : nil
    }
}

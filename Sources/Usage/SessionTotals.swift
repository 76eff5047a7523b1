package import EventModel

/// The sums of a session's requests, and the sum that the client itself reports.
package struct SessionTotals: Sendable, Equatable {
    var requests: Int64 = 0
    var tokens = RequestTokens()
    var cost = 0.0
    var hasEstimate = false
    var unpriced: UnpricedUsage?
    /// Bits of `RequestReading`.
    var sources: Int64 = 0
    /// The number of requests that only a transcript reports.
    var onlyTranscript: Int64 = 0
    var lastAt: Timestamp?
    /// The sum that the client wrote when it ended.
    var stated: SessionCost?
    /// Whether the transcript repeats requests of another session. The client's own sum includes them, so it is not
    /// used.
    var repeatsRequests = false
    /// The number of the session's telemetry records that have not arrived.
    var lostRecords: Int64 = 0
    /// Whether a process of the session ended without reporting it. Its last telemetry may be lost.
    var isCutOff = false
    /// The cost of the requests that both telemetry and a transcript report, according to each of the two.
    var costByTelemetry = 0.0
    var costByTranscript = 0.0

    private static let tolerance = 1e-6

    private var hasTelemetry: Bool { sources & RequestReading.otel != 0 }
    private var hasTranscript: Bool { sources & RequestReading.transcript != 0 }

    /// - Parameters:
    ///   - endedInOrder: the process ended with SessionEnd, so all of its telemetry was sent.
    ///   - wasLost: the process ended without reporting it, so its last telemetry may be lost.
    package func usage(endedInOrder: Bool, wasLost: Bool = false) -> SessionUsage {
        let stated = repeatsRequests ? nil : stated
        guard requests > 0 || stated != nil else { return SessionUsage() }
        var usage = stated.flatMap(statedUsage) ?? summedUsage(endedInOrder: endedInOrder, wasLost: wasLost)
        let differences = [
            CostDifference.shown(costByTelemetry, costByTranscript),
            stated.flatMap { CostDifference.shown($0.costUSD, cost) },
        ]
        usage.difference = differences.compactMap { $0 }.max()
        usage.unpriced = unpriced
        return usage
    }

    /// The client's own sum, if it includes more than the known requests: the client's internal requests, or lost
    /// telemetry.
    private func statedUsage(_ stated: SessionCost) -> SessionUsage? {
        guard stated.costUSD > cost + SessionTotals.tolerance || stated.tokens.total > tokens.total else { return nil }
        // The sum does not include requests after it was written.
        let isWhole = stated.until.map { until in lastAt.map { $0 <= until.adding(seconds: 2) } ?? true } ?? true
        return SessionUsage(
            tokens: stated.tokens.usage,
            cost: stated.costUSD,
            source: hasTelemetry ? .both : .costState,
            confidence: isWhole ? .exact : .lowerBound
        )
    }

    private func summedUsage(endedInOrder: Bool, wasLost: Bool) -> SessionUsage {
        let stated = repeatsRequests ? nil : stated
        let source: SessionUsage.Source =
            hasTelemetry ? (hasTranscript || stated != nil ? .both : .otel) : .transcript
        let isStated = stated.map { abs($0.costUSD - cost) <= SessionTotals.tolerance } ?? false
        let isWhole = onlyTranscript == 0 && lostRecords == 0 && !wasLost && !isCutOff
        let isTold = hasTelemetry && isWhole && (source == .both || endedInOrder)
        let isComplete = isStated || isTold
        return SessionUsage(
            tokens: tokens.usage,
            cost: cost,
            source: source,
            confidence: hasEstimate ? .estimated : isComplete ? .exact : .lowerBound
        )
    }
}

/// How far two sources disagree about a cost.
enum CostDifference {
    private static let least = 0.01

    /// The difference as a fraction of the higher cost. Returns `nil` if it is at most one hundredth.
    static func shown(_ one: Double, _ other: Double) -> Double? {
        let higher = max(one, other)
        guard higher > 0 else { return nil }
        let difference = abs(one - other) / higher
        return difference > least ? difference : nil
    }
}

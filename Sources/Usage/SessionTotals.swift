package import EventModel

/// The sums of a session's requests, and the client's own sum.
package struct SessionTotals: Sendable, Equatable {
    var requests: Int64 = 0
    var tokens = RequestTokens()
    var cost = 0.0
    var hasEstimate = false
    /// Bits of `RequestReading`.
    var sources: Int64 = 0
    /// Requests that only a transcript names.
    var onlyTranscript: Int64 = 0
    var lastAt: Timestamp?
    /// What the client wrote when it ended.
    var stated: SessionCost?
    /// Its transcript repeats requests of another session. Those are in the client's own sum too, so that is not used.
    var repeatsRequests = false
    /// Records of its telemetry that have not arrived.
    var lostRecords: Int64 = 0
    /// A process of it went without a word, and its last telemetry may have gone with it.
    var isCutOff = false
    /// The cost of the requests that both telemetry and a transcript tell, by each.
    var costByTelemetry = 0.0
    var costByTranscript = 0.0

    private static let tolerance = 1e-6

    private var hasTelemetry: Bool { sources & RequestReading.otel != 0 }
    private var hasTranscript: Bool { sources & RequestReading.transcript != 0 }

    /// - Parameters:
    ///   - endedInOrder: the process ended with SessionEnd, so all of its telemetry was sent.
    ///   - wasLost: the process went without a word, and its last telemetry may have gone with it.
    package func usage(endedInOrder: Bool, wasLost: Bool = false) -> SessionUsage {
        let stated = repeatsRequests ? nil : stated
        guard requests > 0 || stated != nil else { return SessionUsage() }
        var usage = stated.flatMap(statedUsage) ?? summedUsage(endedInOrder: endedInOrder, wasLost: wasLost)
        let differences = [
            CostDifference.shown(costByTelemetry, costByTranscript),
            stated.flatMap { CostDifference.shown($0.costUSD, cost) },
        ]
        usage.difference = differences.compactMap { $0 }.max()
        return usage
    }

    /// The client's own sum, if it holds more than the requests that are known: its errands, or lost telemetry.
    private func statedUsage(_ stated: SessionCost) -> SessionUsage? {
        guard stated.costUSD > cost + SessionTotals.tolerance || stated.tokens.total > tokens.total else { return nil }
        // Requests after the sum was written are not in it.
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

    /// The difference as a part of the higher cost. Returns `nil` up to a hundredth.
    static func shown(_ one: Double, _ other: Double) -> Double? {
        let higher = max(one, other)
        guard higher > 0 else { return nil }
        let difference = abs(one - other) / higher
        return difference > least ? difference : nil
    }
}

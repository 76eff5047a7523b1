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

    private static let tolerance = 1e-6
    private static let shownDifference = 0.01

    private var hasTelemetry: Bool { sources & RequestReading.otel != 0 }
    private var hasTranscript: Bool { sources & RequestReading.transcript != 0 }

    /// - Parameters:
    ///   - endedInOrder: the process ended with SessionEnd, so all of its telemetry was sent.
    ///   - wasLost: the process went without a word, and its last telemetry may have gone with it.
    package func usage(endedInOrder: Bool, wasLost: Bool = false) -> SessionUsage {
        let stated = repeatsRequests ? nil : stated
        guard requests > 0 || stated != nil else { return SessionUsage() }
        var usage = stated.flatMap(statedUsage) ?? summedUsage(endedInOrder: endedInOrder, wasLost: wasLost)
        if let stated {
            let higher = max(stated.costUSD, cost)
            let difference = higher > 0 ? abs(stated.costUSD - cost) / higher : 0
            usage.difference = difference > SessionTotals.shownDifference ? difference : nil
        }
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
        let isTold = hasTelemetry && onlyTranscript == 0 && !wasLost && (source == .both || endedInOrder)
        let isComplete = isStated || isTold
        return SessionUsage(
            tokens: tokens.usage,
            cost: cost,
            source: source,
            confidence: hasEstimate ? .estimated : isComplete ? .exact : .lowerBound
        )
    }
}

internal import HTTPModel

/// Counts of observations by upper bound, as Prometheus shows them (cumulative buckets, sum, count).
struct Histogram: Sendable {
    let bounds: [Double]
    private(set) var counts: [Int64]
    private(set) var sum = 0.0
    private(set) var count: Int64 = 0

    /// `bounds` ascending; what is above the last one only counts in the total.
    init(bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count)
    }

    /// A duration over a clock that was set back counts as none: a sum must not fall.
    mutating func observe(_ value: Double) {
        let value = max(0, value)
        sum += value
        count += 1
        if let index = bounds.firstIndex(where: { value <= $0 }) { counts[index] += 1 }
    }
}

extension PrometheusText {
    mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
        metric(name, .histogram, help)
        var cumulative: Int64 = 0
        for (bound, count) in zip(histogram.bounds, histogram.counts) {
            cumulative += count
            sample(name + "_bucket", labels: [("le", String(bound))], Double(cumulative))
        }
        sample(name + "_bucket", labels: [("le", "+Inf")], Double(histogram.count))
        sample(name + "_sum", histogram.sum)
        sample(name + "_count", Double(histogram.count))
    }
}

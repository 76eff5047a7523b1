package import HTTPModel

/// Counts of observations by upper bound, in the form of Prometheus (cumulative buckets, sum, count).
package struct Histogram: Sendable {
    package let bounds: [Double]
    package private(set) var counts: [Int64]
    package private(set) var sum = 0.0
    package private(set) var count: Int64 = 0

    /// `bounds` must be ascending. Values above the last bound only count in the total.
    package init(bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count)
    }

    /// A negative value, measured over a clock that was set back, counts as zero, because a sum must not decrease.
    package mutating func observe(_ value: Double) {
        let value = max(0, value)
        sum += value
        count += 1
        if let index = bounds.firstIndex(where: { value <= $0 }) { counts[index] += 1 }
    }
}

extension PrometheusText {
    package mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
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

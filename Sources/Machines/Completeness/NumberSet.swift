/// The numbers, from 1, that have arrived, as ranges. Numbers may arrive repeatedly and in any order.
struct NumberSet: Equatable {
    /// Maximum number of ranges. Beyond it the lowest gap is given up, and its numbers count as missing permanently.
    static let maximumRanges = 2048

    /// Ascending, with gaps between them.
    private(set) var ranges: [ClosedRange<Int64>] = []
    /// Number of missing numbers in gaps that were given up.
    private(set) var lost: Int64 = 0
    /// Number of numbers that arrived after a higher one.
    private(set) var recovered: Int64 = 0

    /// Number of numbers below the highest that have not arrived.
    var missing: Int64 {
        var missing = lost
        var next: Int64 = 1
        for range in ranges {
            missing += range.lowerBound - next
            next = range.upperBound + 1
        }
        return missing
    }

    /// Adds a number. Returns whether it is new.
    ///
    /// - Parameter isOwnArrival: `false` if the event itself was in the log before its number.
    @discardableResult
    mutating func insert(_ number: Int64, isOwnArrival: Bool = true) -> Bool {
        // Finds the first range that ends at `number - 1` or later.
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < number - 1 { low = middle + 1 } else { high = middle }
        }
        if low < ranges.count, ranges[low].contains(number) { return false }
        if let last = ranges.last, isOwnArrival, number < last.upperBound { recovered += 1 }
        let touches = low < ranges.count && ranges[low].upperBound == number - 1
        let start = touches ? ranges[low].lowerBound : number
        let next = touches ? low + 1 : low
        let joins = next < ranges.count && ranges[next].lowerBound == number + 1
        let end = joins ? ranges[next].upperBound : number
        ranges.replaceSubrange(low..<(joins ? next + 1 : next), with: [start...end])
        if ranges.count > NumberSet.maximumRanges { giveUpLowestGap() }
        return true
    }

    private mutating func giveUpLowestGap() {
        lost += ranges[1].lowerBound - ranges[0].upperBound - 1
        ranges.replaceSubrange(0...1, with: [ranges[0].lowerBound...ranges[1].upperBound])
    }
}

/// The stored text: `lost recovered 1-40,42,44-50`.
extension NumberSet {
    var stored: String {
        let texts = ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
        return "\(lost) \(recovered) \(texts.joined(separator: ","))"
    }

    /// Returns `nil` if the text does not have the format of `stored`.
    init?(stored: String) {
        let words = stored.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, let lost = Int64(words[0]), let recovered = Int64(words[1]) else { return nil }
        (self.lost, self.recovered) = (lost, recovered)
        var end: Int64 = -1
        for text in words[2].split(separator: ",") {
            let bounds = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
            guard let first = bounds.first ?? nil, let last = bounds.last ?? nil, bounds.count <= 2, first <= last,
                first > end + 1
            else { return nil }
            ranges.append(first...last)
            end = last
        }
    }
}

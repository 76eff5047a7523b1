/// The parts of a batch that are not committed yet, in order. A part that the database rejects is halved until the
/// faulty event is alone: about 2 log2(n) transactions for one bad event among n.
struct BatchSplit {
    /// In reverse order.
    private var parts: [Range<Int>]

    init(count: Int) {
        parts = count > 0 ? [0..<count] : []
    }

    mutating func next() -> Range<Int>? {
        parts.popLast()
    }

    /// Returns false if the part is a single event.
    mutating func halve(_ part: Range<Int>) -> Bool {
        guard part.count > 1 else { return false }
        let middle = part.lowerBound + part.count / 2
        parts.append(middle..<part.upperBound)
        parts.append(part.lowerBound..<middle)
        return true
    }
}

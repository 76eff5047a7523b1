/// The parts of a batch that are still to be committed, in order. A part that the database refuses is halved until the
/// one event at fault stands alone: about 2 log2(n) transactions for one bad event among n.
struct BatchSplit {
    /// Last first.
    private var parts: [Range<Int>]

    init(count: Int) {
        parts = count > 0 ? [0..<count] : []
    }

    mutating func next() -> Range<Int>? {
        parts.popLast()
    }

    /// False: the part is a single event and cannot be halved.
    mutating func halve(_ part: Range<Int>) -> Bool {
        guard part.count > 1 else { return false }
        let middle = part.lowerBound + part.count / 2
        parts.append(middle..<part.upperBound)
        parts.append(part.lowerBound..<middle)
        return true
    }
}

/// The last bytes of the output of a terminal. A position counts the bytes of the output from its beginning.
struct ScreenLog {
    static let capacity = 256 << 10

    private let capacity: Int
    private var bytes: [UInt8] = []
    /// The position of the first byte that is kept.
    private var first: UInt64 = 0

    init(capacity: Int = ScreenLog.capacity) {
        self.capacity = capacity
    }

    /// The position after the last byte.
    var end: UInt64 { first + UInt64(bytes.count) }

    /// Where those begin that want all that is kept.
    var start: UInt64 { end - UInt64(min(bytes.count, capacity)) }

    mutating func append(_ new: ArraySlice<UInt8>) {
        bytes += new
        // Trimmed rarely, because what is kept must be moved.
        if bytes.count > 2 * capacity { trim() }
    }

    private mutating func trim() {
        let surplus = bytes.count - capacity
        first += UInt64(surplus)
        bytes.removeFirst(surplus)
    }

    /// At most `limit` bytes from this position on.
    ///
    /// - Returns: the bytes, or that some of them are lost.
    func read(from position: UInt64, atMost limit: Int) -> (bytes: ArraySlice<UInt8>, isBroken: Bool) {
        guard position >= first else { return ([], true) }
        let begin = Int(min(position, end) - first)
        return (bytes[begin..<min(bytes.count, begin + limit)], false)
    }
}

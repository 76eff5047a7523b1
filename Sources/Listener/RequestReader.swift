/// Splits the bytes of one connection into heads and bodies. Loop thread only.
struct RequestReader {
    private var bytes: [UInt8] = []
    private var start = 0
    private var scanner = HeadScanner()

    /// The number of bytes that do not belong to a request yet.
    var count: Int { bytes.count - start }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ borrowed: BorrowedBytes, from offset: Int = 0) {
        borrowed.append(to: &bytes, from: offset)
    }

    mutating func append(_ more: some Sequence<UInt8>) {
        bytes += more
    }

    /// Returns the next head, if it is complete.
    mutating func nextHead(_ parser: RequestHeadParser, limit: Int) throws(HeadFault) -> RequestHead? {
        guard let length = try scanner.length(of: bytes, from: start), length <= limit else {
            if count > limit { throw .tooLarge }
            return nil
        }
        let head = try parser.parse(bytes, start..<(start + length))
        use(length)
        scanner = HeadScanner()
        return head
    }

    /// The next bytes, at most `count`.
    mutating func take(_ count: Int) -> [UInt8] {
        let taken = min(count, self.count)
        guard taken > 0 else { return [] }
        defer { use(taken) }
        if start == 0, taken == bytes.count { return bytes }
        return Array(bytes[start..<(start + taken)])
    }

    private mutating func use(_ count: Int) {
        start += count
        guard start < bytes.count else {
            bytes = []
            start = 0
            return
        }
        if start > 16 * 1024, start > bytes.count / 2 {
            bytes.removeFirst(start)
            start = 0
        }
    }
}

extension [UInt8] {
    /// One copy of the whole run. The standard library's `append` has no overload for a span, and byte by byte costs ten
    /// times as much.
    public mutating func append(copying run: Span<UInt8>) {
        unsafe run.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

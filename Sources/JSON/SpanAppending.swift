extension [UInt8] {
    /// Copies the whole run at once. The standard library's `append` has no overload for a span.
    public mutating func append(copying run: Span<UInt8>) {
        unsafe run.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

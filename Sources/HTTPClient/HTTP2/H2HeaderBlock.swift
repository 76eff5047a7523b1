internal import CNghttp2

/// The header fields of one request, pseudo-header fields first. Belongs to one connection, which reuses it and its
/// memory for each request.
package struct H2HeaderBlock {
    package enum Indexing {
        /// May be added to HPACK's table, which repeats it in one or two bytes.
        case always
        /// Only the first one on a connection may be added, to store the name in the table. Values that never repeat
        /// would only evict useful entries.
        case once
        /// Not added to the table, neither here nor by intermediaries (RFC 7541 section 6.2.3).
        case never
    }

    private struct Field {
        /// In lower case.
        let name: StaticString
        let valueLength: Int
        let isIndexed: Bool
    }

    private var fields: [Field] = []
    /// The values of all fields, concatenated.
    private var values: [UInt8] = []
    /// Addresses of the `once` names that the connection has sent. The same name at two addresses would count as two.
    private var sentOnce: [UInt] = []

    package init() {}

    package mutating func removeAll() {
        fields.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
    }

    /// The value is the concatenation of `prefix` and `value`.
    package mutating func append(
        _ name: StaticString,
        prefix: StaticString = "",
        _ value: String,
        indexing: Indexing = .always
    ) {
        let start = values.count
        unsafe values.append(contentsOf: UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount))
        // Appending the view itself would retain and release the string.
        let copied: Void? = unsafe value.utf8.withContiguousStorageIfAvailable { unsafe values.append(contentsOf: $0) }
        if copied == nil { values.append(contentsOf: value.utf8) }
        fields.append(Field(name: name, valueLength: values.count - start, isIndexed: isIndexed(name, indexing)))
    }

    private mutating func isIndexed(_ name: StaticString, _ indexing: Indexing) -> Bool {
        switch indexing {
        case .always: return true
        case .never: return false
        case .once:
            let address = unsafe UInt(bitPattern: name.utf8Start)
            if sentOnce.contains(address) { return false }
            sentOnce.append(address)
            return true
        }
    }

    /// Passes the fields in nghttp2's format, valid during the call. nghttp2 must copy values within the call; names
    /// need not be copied.
    func withFields<Result>(_ body: (UnsafeBufferPointer<nghttp2_nv>) -> Result) -> Result {
        unsafe values.withUnsafeBufferPointer { values in
            unsafe withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: fields.count) { pairs in
                var start = 0
                for (index, field) in fields.enumerated() {
                    let indexing = field.isIndexed ? NGHTTP2_NV_FLAG_NONE : NGHTTP2_NV_FLAG_NO_INDEX
                    let pair = unsafe nghttp2_nv(
                        name: UnsafeMutablePointer(mutating: field.name.utf8Start),
                        value: UnsafeMutablePointer(mutating: values.baseAddress.map { unsafe $0 + start }),
                        namelen: field.name.utf8CodeUnitCount,
                        valuelen: field.valueLength,
                        flags: UInt8(indexing.rawValue | NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue)
                    )
                    unsafe pairs.initializeElement(at: index, to: pair)
                    start += field.valueLength
                }
                return unsafe body(UnsafeBufferPointer(pairs))
            }
        }
    }
}

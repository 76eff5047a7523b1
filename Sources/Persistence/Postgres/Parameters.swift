/// The parameters of one statement, encoded consecutively, in the order and with the types of the statement.
package struct Parameters: Sendable {
    private(set) var bytes: [UInt8] = []
    /// The range of each parameter in `bytes`; `nil` is NULL.
    private(set) var ranges: [Range<Int>?] = []

    package init(reserving capacity: Int = 64) {
        bytes.reserveCapacity(capacity)
    }

    /// In the order of the statement's parameters.
    package init(of values: any PGParameter...) {
        for value in values { value.add(to: &self) }
    }

    /// Those of `first`, and one more.
    package init(_ first: Parameters, and value: any PGParameter) {
        self = first
        value.add(to: &self)
    }

    mutating func append(_ encode: (inout [UInt8]) -> Void) {
        let start = bytes.count
        encode(&bytes)
        ranges.append(start..<bytes.count)
    }

    mutating func appendNull() { ranges.append(nil) }

    /// Adds one array of `count` values, which `value` returns by index. It encodes a column of rows without copying
    /// them. Layout: dimensions, has-null flag, element type, length, lower bound, then the elements, each preceded by
    /// its length, which is -1 for NULL (`array_recv` in PostgreSQL's `arrayfuncs.c`).
    mutating func add<Value: PGElement>(count: Int, _ value: (Int) -> Value) {
        append { bytes in
            bytes.append(bigEndian: Int32(count == 0 ? 0 : 1))
            bytes.append(bigEndian: Int32(1))
            bytes.append(bigEndian: Value.elementType.rawValue)
            guard count > 0 else { return }
            bytes.append(bigEndian: Int32(count))
            bytes.append(bigEndian: Int32(1))
            for index in 0..<count { value(index).appendElement(to: &bytes) }
        }
    }
}

/// The parameters of one statement, encoded consecutively, in the order and with the types of the statement.
package struct Parameters: Sendable {
    private(set) var bytes: [UInt8] = []
    /// The range of each parameter in `bytes`; `nil` is NULL.
    private(set) var ranges: [Range<Int>?] = []

    package init(reserving capacity: Int = 64) {
        bytes.reserveCapacity(capacity)
    }

    /// Parameters of a statement without arrays, in its order.
    package init(of values: (any PGEncodable)?...) {
        self.init()
        for value in values {
            if let value { add(value) } else { ranges.append(nil) }
        }
    }

    package mutating func add(_ value: (some PGEncodable)?) {
        guard let value else {
            ranges.append(nil)
            return
        }
        let start = bytes.count
        value.encode(into: &bytes)
        ranges.append(start..<bytes.count)
    }

    /// Adds one array without NULLs.
    package mutating func add<Value: PGEncodable>(array values: some Collection<Value>) {
        add(array: values.lazy.map { Optional($0) })
    }

    /// Adds one array. Layout: dimensions, has-null flag, element type, length, lower bound, then the elements, each
    /// preceded by its length, which is -1 for NULL (`array_recv` in PostgreSQL's `arrayfuncs.c`).
    package mutating func add<Value: PGEncodable>(array values: some Collection<Value?>) {
        let start = bytes.count
        beginArray(of: Value.self, count: values.count)
        for value in values { addElement(value) }
        ranges.append(start..<bytes.count)
    }

    /// Adds one array of `count` values, which `value` returns by index. It encodes a column of rows without copying
    /// them.
    mutating func add<Value: PGEncodable>(count: Int, _ value: (Int) -> Value?) {
        let start = bytes.count
        beginArray(of: Value.self, count: count)
        for index in 0..<count { addElement(value(index)) }
        ranges.append(start..<bytes.count)
    }

    private mutating func beginArray<Value: PGEncodable>(of type: Value.Type, count: Int) {
        bytes.append(bigEndian: Int32(count == 0 ? 0 : 1))
        bytes.append(bigEndian: Int32(1))
        bytes.append(bigEndian: Value.elementType.rawValue)
        if count > 0 {
            bytes.append(bigEndian: Int32(count))
            bytes.append(bigEndian: Int32(1))
        }
    }

    private mutating func addElement(_ value: (some PGEncodable)?) {
        let lengthAt = bytes.count
        bytes.append(bigEndian: Int32(-1))
        guard let value else { return }
        value.encode(into: &bytes)
        setLength(Int32(bytes.count - lengthAt - 4), at: lengthAt)
    }

    private mutating func setLength(_ length: Int32, at position: Int) {
        for index in 0..<4 {
            bytes[position + index] = UInt8(truncatingIfNeeded: length >> Int32(24 - 8 * index))
        }
    }
}

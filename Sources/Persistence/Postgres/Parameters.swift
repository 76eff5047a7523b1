/// The parameters of one statement, encoded one behind the other. Their order and types are the statement's.
struct Parameters {
    private(set) var bytes: [UInt8] = []
    /// Where each lies in `bytes`; `nil` is NULL.
    private(set) var ranges: [Range<Int>?] = []

    init(reserving capacity: Int = 64) {
        bytes.reserveCapacity(capacity)
    }

    mutating func add(_ value: (some PGEncodable)?) {
        guard let value else {
            ranges.append(nil)
            return
        }
        let start = bytes.count
        value.encode(into: &bytes)
        ranges.append(start..<bytes.count)
    }

    /// One array without NULLs.
    mutating func add<Value: PGEncodable>(array values: some Collection<Value>) {
        add(array: values.lazy.map { Optional($0) })
    }

    /// One array. Layout: dimensions, has-null flag, element type, length, lower bound, then each element behind its
    /// length, which is -1 for NULL (`array_recv` in PostgreSQL's `arrayfuncs.c`).
    mutating func add<Value: PGEncodable>(array values: some Collection<Value?>) {
        let start = bytes.count
        bytes.append(bigEndian: Int32(values.isEmpty ? 0 : 1))
        bytes.append(bigEndian: Int32(1))
        bytes.append(bigEndian: Value.elementType.rawValue)
        if !values.isEmpty {
            bytes.append(bigEndian: Int32(values.count))
            bytes.append(bigEndian: Int32(1))
        }
        for value in values {
            let lengthAt = bytes.count
            bytes.append(bigEndian: Int32(-1))
            guard let value else { continue }
            value.encode(into: &bytes)
            setLength(Int32(bytes.count - lengthAt - 4), at: lengthAt)
        }
        ranges.append(start..<bytes.count)
    }

    private mutating func setLength(_ length: Int32, at position: Int) {
        for index in 0..<4 {
            bytes[position + index] = UInt8(truncatingIfNeeded: length >> Int32(24 - 8 * index))
        }
    }
}

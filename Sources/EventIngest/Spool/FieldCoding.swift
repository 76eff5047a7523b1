/// Appends fields in the spool's byte order, which is little-endian.
struct FieldWriter {
    private(set) var bytes: [UInt8] = []

    init(reserving capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    mutating func integer<Value: FixedWidthInteger>(_ value: Value) {
        for shift in stride(from: 0, to: Value.bitWidth, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> Value(shift)))
        }
    }

    /// A 32-bit length, then the bytes.
    mutating func blob(_ value: some Collection<UInt8>) {
        integer(UInt32(value.count))
        bytes.append(contentsOf: value)
    }

    mutating func text(_ value: String) { blob(value.utf8) }

    mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

    /// A flag, then the value if there is one.
    mutating func optional<Value>(_ value: Value?, _ write: (inout FieldWriter, Value) -> Void) {
        flag(value != nil)
        if let value { write(&self, value) }
    }

    mutating func optional(_ value: String?) {
        optional(value) { $0.text($1) }
    }
}

/// The bytes do not have the expected format.
struct MalformedField: Error {}

/// Reads fields from the front, in the order in which they were written.
struct FieldReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ count: Int) throws(MalformedField) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw MalformedField() }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws(MalformedField) -> Value {
        var value: Value = 0
        for (index, byte) in try take(Value.bitWidth / 8).enumerated() {
            value |= Value(truncatingIfNeeded: byte) << Value(index * 8)
        }
        return value
    }

    mutating func blob() throws(MalformedField) -> ArraySlice<UInt8> {
        try take(Int(try integer(UInt32.self)))
    }

    mutating func text() throws(MalformedField) -> String {
        String(decoding: try blob(), as: UTF8.self)
    }

    mutating func flag() throws(MalformedField) -> Bool {
        switch try integer(UInt8.self) {
        case 0: false
        case 1: true
        default: throw MalformedField()
        }
    }

    mutating func optional<Value>(
        _ read: (inout FieldReader) throws(MalformedField) -> Value
    ) throws(MalformedField) -> Value? {
        try flag() ? try read(&self) : nil
    }

    mutating func optionalText() throws(MalformedField) -> String? {
        try flag() ? try text() : nil
    }
}

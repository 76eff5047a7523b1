/// A message in the protobuf wire format is malformed, or is larger or nested more deeply than any client sends.
struct MalformedProtobuf: Error {}

/// Reads the fields of one message in the protobuf wire format (protobuf.dev/programming-guides/encoding). It copies
/// nothing and reads each byte of the message once. A nested message has its own reader.
struct ProtobufReader {
    enum Value {
        case varint(UInt64)
        case fixed64(UInt64)
        case fixed32(UInt32)
        case bytes(ArraySlice<UInt8>)
    }

    private var rest: ArraySlice<UInt8>

    init(_ message: ArraySlice<UInt8>) {
        rest = message
    }

    /// Returns the next field, or `nil` at the end of the message.
    mutating func next() throws(MalformedProtobuf) -> (field: UInt64, value: Value)? {
        guard !rest.isEmpty else { return nil }
        let key = try varint()
        let field = key >> 3
        guard field > 0, field < 1 << 29 else { throw MalformedProtobuf() }
        switch key & 7 {
        case 0: return (field, .varint(try varint()))
        case 1: return (field, .fixed64(try integer(UInt64.self)))
        case 2:
            let length = try varint()
            guard length <= UInt64(rest.count) else { throw MalformedProtobuf() }
            return (field, .bytes(take(Int(length))))
        case 5: return (field, .fixed32(try integer(UInt32.self)))
        // Groups are obsolete, and OTLP has none.
        default: throw MalformedProtobuf()
        }
    }

    private mutating func varint() throws(MalformedProtobuf) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard let byte = rest.popFirst() else { throw MalformedProtobuf() }
            if shift == 63, byte > 1 { throw MalformedProtobuf() }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw MalformedProtobuf()
    }

    private mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws(MalformedProtobuf) -> Value {
        let count = Value.bitWidth / 8
        guard rest.count >= count else { throw MalformedProtobuf() }
        var value: Value = 0
        for (index, byte) in take(count).enumerated() { value |= Value(byte) << Value(8 * index) }
        return value
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8> {
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}

extension ProtobufReader.Value {
    /// A nested message.
    var message: ProtobufReader {
        get throws(MalformedProtobuf) { ProtobufReader(try payload) }
    }

    var payload: ArraySlice<UInt8> {
        get throws(MalformedProtobuf) {
            guard case .bytes(let bytes) = self else { throw MalformedProtobuf() }
            return bytes
        }
    }

    /// Invalid UTF-8 and NUL become U+FFFD, as in JSON.
    var text: String {
        get throws(MalformedProtobuf) {
            let text = String(decoding: try payload, as: UTF8.self)
            guard text.utf8.contains(0) else { return text }
            return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value == 0 ? "\u{FFFD}" : $0 }))
        }
    }

    var number: UInt64 {
        get throws(MalformedProtobuf) {
            switch self {
            case .varint(let value), .fixed64(let value): value
            default: throw MalformedProtobuf()
            }
        }
    }
}

/// Appends fields of a message in the protobuf wire format.
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    mutating func varint(_ value: UInt64, field: UInt64) {
        append(field << 3)
        append(value)
    }

    mutating func bytes(_ value: [UInt8], field: UInt64) {
        append(field << 3 | 2)
        append(UInt64(value.count))
        bytes += value
    }

    private mutating func append(_ value: UInt64) {
        var value = value
        while value >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(value))
    }
}

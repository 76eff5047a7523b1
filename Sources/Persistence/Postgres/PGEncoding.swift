import EventModel

/// A value in PostgreSQL's binary format: big-endian integers, `timestamptz` as microseconds since 2000-01-01 UTC.
protocol PGEncodable {
    static var elementType: PGType { get }
    func encode(into bytes: inout [UInt8])
}

extension Int64: PGEncodable {
    static var elementType: PGType { .int8 }
    func encode(into bytes: inout [UInt8]) { bytes.append(bigEndian: self) }
}

extension Double: PGEncodable {
    static var elementType: PGType { .float8 }
    func encode(into bytes: inout [UInt8]) { bytes.append(bigEndian: bitPattern) }
}

extension Bool: PGEncodable {
    static var elementType: PGType { .bool }
    func encode(into bytes: inout [UInt8]) { bytes.append(self ? 1 : 0) }
}

extension String: PGEncodable {
    static var elementType: PGType { .text }
    func encode(into bytes: inout [UInt8]) { bytes.append(contentsOf: utf8) }
}

extension EventID: PGEncodable {
    static var elementType: PGType { .uuid }
    func encode(into bytes: inout [UInt8]) {
        bytes.append(bigEndian: high)
        bytes.append(bigEndian: low)
    }
}

extension Timestamp: PGEncodable {
    /// Microseconds from 1970 to 2000.
    static let postgresEpoch: Int64 = 946_684_800_000_000

    static var elementType: PGType { .timestamptz }

    /// Times that the format has no room for become one that the server refuses as out of range.
    func encode(into bytes: inout [UInt8]) {
        let (shifted, overflow) = microseconds.subtractingReportingOverflow(Timestamp.postgresEpoch)
        bytes.append(bigEndian: overflow ? .min + 1 : shifted)
    }
}

/// Bytes that are `text` already: UTF-8, to be checked by the server.
struct TextBytes: PGEncodable {
    let bytes: [UInt8]

    static var elementType: PGType { .text }
    func encode(into target: inout [UInt8]) { target.append(contentsOf: bytes) }
}

struct RawBytes: PGEncodable {
    let bytes: [UInt8]

    static var elementType: PGType { .bytea }
    func encode(into target: inout [UInt8]) { target.append(contentsOf: bytes) }
}

extension [UInt8] {
    mutating func append(bigEndian value: some FixedWidthInteger) {
        var shift = value.bitWidth
        while shift > 0 {
            shift -= 8
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}

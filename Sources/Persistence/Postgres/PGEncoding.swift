package import EventModel

/// A value in PostgreSQL's binary format: big-endian integers, `timestamptz` as microseconds since 2000-01-01 UTC.
package protocol PGEncodable {
    static var elementType: PGType { get }
    func encode(into bytes: inout [UInt8])
}

extension Int64: PGEncodable {
    package static var elementType: PGType { .int8 }
    package func encode(into bytes: inout [UInt8]) { bytes.append(bigEndian: self) }
}

extension Double: PGEncodable {
    package static var elementType: PGType { .float8 }
    package func encode(into bytes: inout [UInt8]) { bytes.append(bigEndian: bitPattern) }
}

extension Bool: PGEncodable {
    package static var elementType: PGType { .bool }
    package func encode(into bytes: inout [UInt8]) { bytes.append(self ? 1 : 0) }
}

extension String: PGEncodable {
    package static var elementType: PGType { .text }
    package func encode(into bytes: inout [UInt8]) { bytes.append(contentsOf: utf8) }
}

extension EventID: PGEncodable {
    package static var elementType: PGType { .uuid }
    package func encode(into bytes: inout [UInt8]) {
        bytes.append(bigEndian: high)
        bytes.append(bigEndian: low)
    }
}

extension Timestamp: PGEncodable {
    /// Microseconds from 1970 to 2000.
    static let postgresEpoch: Int64 = 946_684_800_000_000

    package static var elementType: PGType { .timestamptz }

    /// Times outside the format's range are encoded as a value that the server rejects as out of range.
    package func encode(into bytes: inout [UInt8]) {
        let (shifted, overflow) = microseconds.subtractingReportingOverflow(Timestamp.postgresEpoch)
        bytes.append(bigEndian: overflow ? .min + 1 : shifted)
    }
}

/// Bytes that are already `text`: UTF-8, validated by the server.
package struct TextBytes: PGEncodable, Sendable {
    let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    package static var elementType: PGType { .text }
    package func encode(into target: inout [UInt8]) { target.append(contentsOf: bytes) }
}

package struct RawBytes: PGEncodable, Sendable {
    let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    package static var elementType: PGType { .bytea }
    package func encode(into target: inout [UInt8]) { target.append(contentsOf: bytes) }
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

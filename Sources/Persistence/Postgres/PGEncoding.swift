package import EventModel

/// An argument of `Parameters(of:)`: a value, an array, several arrays, or `nil` for NULL.
package protocol PGParameter {
    func add(to parameters: inout Parameters)
}

/// An element of an array: a value, or `nil` for NULL.
package protocol PGElement: SendableMetatype {
    static var elementType: PGType { get }

    /// Appends the value, preceded by its length.
    func appendElement(to bytes: inout [UInt8])
}

/// A value in PostgreSQL's binary format: big-endian integers, `timestamptz` as microseconds since 2000-01-01 UTC.
package protocol PGEncodable: PGParameter, PGElement {
    func encode(into bytes: inout [UInt8])
}

extension PGEncodable {
    package func add(to parameters: inout Parameters) {
        parameters.append { encode(into: &$0) }
    }

    package func appendElement(to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.append(bigEndian: Int32(0))
        encode(into: &bytes)
        bytes.replace(bigEndian: Int32(bytes.count - start - 4), at: start)
    }
}

extension Optional: PGElement where Wrapped: PGEncodable {
    package static var elementType: PGType { Wrapped.elementType }

    package func appendElement(to bytes: inout [UInt8]) {
        if let self { self.appendElement(to: &bytes) } else { bytes.append(bigEndian: Int32(-1)) }
    }
}

extension Optional: PGParameter where Wrapped: PGParameter {
    package func add(to parameters: inout Parameters) {
        if let self { self.add(to: &parameters) } else { parameters.appendNull() }
    }
}

extension Array: PGParameter where Element: PGElement {
    package func add(to parameters: inout Parameters) {
        parameters.add(count: count) { self[$0] }
    }
}

extension Set: PGParameter where Element: PGElement {
    package func add(to parameters: inout Parameters) { Array(self).add(to: &parameters) }
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

/// The default for an enum that is stored as its raw value.
extension PGEncodable where Self: RawRepresentable, RawValue: PGEncodable {
    package static var elementType: PGType { RawValue.elementType }
    package func encode(into bytes: inout [UInt8]) { rawValue.encode(into: &bytes) }
}

extension [UInt8] {
    mutating func replace(bigEndian value: Int32, at position: Int) {
        for index in 0..<4 {
            self[position + index] = UInt8(truncatingIfNeeded: value >> Int32(24 - 8 * index))
        }
    }

    mutating func append(bigEndian value: some FixedWidthInteger) {
        var shift = value.bitWidth
        while shift > 0 {
            shift -= 8
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}

package import EventModel

/// A value that is decoded from a column of a result, or from several consecutive columns.
///
/// A conforming type that takes several columns overrides `columnCount`. An `Optional` of it is `nil` if its first
/// column is NULL, as in a missing row of an outer join.
package protocol PGColumn {
    static var columnCount: Int { get }

    init(from row: PQRow, _ column: Int) throws(PersistenceError)
}

extension PGColumn {
    package static var columnCount: Int { 1 }
}

extension Optional: PGColumn where Wrapped: PGColumn {
    package static var columnCount: Int { Wrapped.columnCount }

    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        self = row.isNull(column) ? nil : try Wrapped(from: row, column)
    }
}

extension Int64: PGColumn {
    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        self = try row.field(column) { $0.integer(at: 0) }
    }
}

extension Double: PGColumn {
    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        self.init(bitPattern: UInt64(bitPattern: try Int64(from: row, column)))
    }
}

extension Bool: PGColumn {
    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        self = try row.field(column) { $0.count == 1 ? $0[0] != 0 : nil }
    }
}

extension String: PGColumn {
    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        self = try row.field(column) { $0.text }
    }
}

/// The bytes of a `bytea`, or of a `text`.
extension [UInt8]: PGColumn {
    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        self = try row.field(column) { $0.copy }
    }
}

extension Timestamp: PGColumn {
    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        self.init(microseconds: try Int64(from: row, column) &+ Timestamp.postgresEpoch)
    }
}

extension EventID: PGColumn {
    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        self = try row.field(column) { bytes in
            guard bytes.count == 16, let high = bytes.integer(at: 0), let low = bytes.integer(at: 8) else { return nil }
            return EventID(high: UInt64(bitPattern: high), low: UInt64(bitPattern: low))
        }
    }
}

/// The default for an enum that is stored as its raw value. An unknown value is a malformed reply.
extension PGColumn where Self: RawRepresentable, RawValue: PGColumn {
    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        guard let value = Self(rawValue: try RawValue(from: row, column)) else { throw row.malformed(column) }
        self = value
    }
}

extension Span<UInt8> {
    /// The big-endian integer in the eight bytes from `offset`, or `nil` if the field is shorter.
    fileprivate func integer(at offset: Int) -> Int64? {
        guard count >= offset + 8 else { return nil }
        var value: UInt64 = 0
        for index in offset..<(offset + 8) { value = value << 8 | UInt64(self[index]) }
        return Int64(bitPattern: value)
    }
}

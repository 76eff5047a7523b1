package import EventModel

/// One row of a result. A field without the expected shape is a malformed reply.
package struct PQRow {
    let result: PQResult
    let row: Int

    package func int64(_ column: Int) throws(PersistenceError) -> Int64 {
        try required(column) { $0.integer(at: 0) }
    }

    package func optionalInt64(_ column: Int) throws(PersistenceError) -> Int64? {
        try optional(column) { $0.integer(at: 0) }
    }

    package func double(_ column: Int) throws(PersistenceError) -> Double {
        Double(bitPattern: UInt64(bitPattern: try int64(column)))
    }

    package func optionalDouble(_ column: Int) throws(PersistenceError) -> Double? {
        try optionalInt64(column).map { Double(bitPattern: UInt64(bitPattern: $0)) }
    }

    package func bool(_ column: Int) throws(PersistenceError) -> Bool {
        try required(column) { $0.count == 1 ? $0[0] != 0 : nil }
    }

    package func text(_ column: Int) throws(PersistenceError) -> String {
        try required(column) { $0.text }
    }

    package func optionalText(_ column: Int) -> String? {
        result.withField(row, column) { $0.text }
    }

    package func bytes(_ column: Int) throws(PersistenceError) -> [UInt8] {
        try required(column) { $0.copy }
    }

    package func optionalBytes(_ column: Int) -> [UInt8]? {
        result.withField(row, column) { $0.copy }
    }

    package func timestamp(_ column: Int) throws(PersistenceError) -> Timestamp {
        Timestamp(microseconds: try int64(column) &+ Timestamp.postgresEpoch)
    }

    package func optionalTimestamp(_ column: Int) throws(PersistenceError) -> Timestamp? {
        try optionalInt64(column).map { Timestamp(microseconds: $0 &+ Timestamp.postgresEpoch) }
    }

    package func eventID(_ column: Int) throws(PersistenceError) -> EventID {
        try required(column) { bytes in
            guard bytes.count == 16, let high = bytes.integer(at: 0), let low = bytes.integer(at: 8) else { return nil }
            return EventID(high: UInt64(bitPattern: high), low: UInt64(bitPattern: low))
        }
    }

    private func required<Value>(
        _ column: Int,
        _ decode: (borrowing Span<UInt8>) -> Value?
    ) throws(PersistenceError) -> Value {
        guard let value = try optional(column, decode) else { throw malformed(column) }
        return value
    }

    private func optional<Value>(
        _ column: Int,
        _ decode: (borrowing Span<UInt8>) -> Value?
    ) throws(PersistenceError) -> Value? {
        guard let decoded = result.withField(row, column, decode) else { return nil }
        guard let value = decoded else { throw malformed(column) }
        return value
    }

    private func malformed(_ column: Int) -> PersistenceError {
        PersistenceError(.malformedReply, "column \(column) of a result is not of the type asked for")
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

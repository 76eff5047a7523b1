/// One row of a result. A field that does not hold a value of the requested type is a malformed reply.
package struct PQRow {
    let result: PQResult
    let row: Int

    /// Decodes consecutive columns, from column `first`: `let (id, reason): (Int64, String?) = try row.values()`.
    package func values<each Column: PGColumn>(
        from first: Int = 0
    ) throws(PersistenceError) -> (repeat each Column) {
        var column = first
        return (repeat try next((each Column).self, &column))
    }

    /// Passes consecutive columns, from column `first`, to an initializer or a function that takes them in this order.
    package func make<each Column: PGColumn, Value>(
        from first: Int = 0,
        _ make: (repeat each Column) -> Value
    ) throws(PersistenceError) -> Value {
        var column = first
        return make(repeat try next((each Column).self, &column))
    }

    package func value<Column: PGColumn>(_ column: Int = 0) throws(PersistenceError) -> Column {
        try Column(from: self, column)
    }

    private func next<Column: PGColumn>(
        _ type: Column.Type,
        _ column: inout Int
    ) throws(PersistenceError) -> Column {
        defer { column += Column.columnCount }
        return try Column(from: self, column)
    }

    func isNull(_ column: Int) -> Bool { result.isNull(row, column) }

    /// Throws if the field is NULL or `decode` returns `nil`.
    func field<Value>(
        _ column: Int,
        _ decode: (borrowing Span<UInt8>) -> Value?
    ) throws(PersistenceError) -> Value {
        guard let decoded = result.withField(row, column, decode), let value = decoded else { throw malformed(column) }
        return value
    }

    func malformed(_ column: Int) -> PersistenceError {
        PersistenceError(.malformedReply, "column \(column) of a result is not of the type asked for")
    }
}

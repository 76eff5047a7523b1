import CLibpq

/// One `PGresult`: the outcome of one statement, with its rows in binary.
///
/// Safe because the handle is private, valid from `init` to `deinit`, and freed only there.
@safe package final class PQResult {
    private let handle: OpaquePointer

    init(takingOwnershipOf handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    deinit {
        unsafe PQclear(handle)
    }

    enum Outcome: Equatable {
        case success
        case pipelineSync
        /// The statement was not run because an earlier one in the pipeline failed.
        case skipped
        case failure
    }

    var outcome: Outcome {
        switch unsafe PQresultStatus(handle) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY, PGRES_SINGLE_TUPLE: .success
        case PGRES_PIPELINE_SYNC: .pipelineSync
        case PGRES_PIPELINE_ABORTED: .skipped
        default: .failure
        }
    }

    package var rowCount: Int { Int(unsafe PQntuples(handle)) }

    package var rows: some Sequence<PQRow> { (0..<rowCount).lazy.map { PQRow(result: self, row: $0) } }
    package var firstRow: PQRow? { rowCount > 0 ? PQRow(result: self, row: 0) : nil }

    package func map<Value>(_ decode: (PQRow) throws(PersistenceError) -> Value) throws(PersistenceError) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(rowCount)
        for row in rows { values.append(try decode(row)) }
        return values
    }

    /// The first value of each row.
    package func values<Column: PGColumn>() throws(PersistenceError) -> [Column] {
        try map { row throws(PersistenceError) in try row.value() }
    }

    /// The first value of the first row; `nil` if there is no row or the value is NULL.
    package func firstValue<Column: PGColumn>() throws(PersistenceError) -> Column? {
        guard let firstRow else { return nil }
        return try firstRow.value()
    }

    /// `INSERT 0 1`, `COMMIT`, ...
    package var commandTag: String { unsafe PQcmdStatus(handle).map { unsafe String(cString: $0) } ?? "" }

    /// Number of rows that an INSERT, UPDATE or DELETE affected.
    package var affectedRows: Int { unsafe PQcmdTuples(handle).flatMap { Int(unsafe String(cString: $0)) } ?? 0 }

    func isNull(_ row: Int, _ column: Int) -> Bool { unsafe PQgetisnull(handle, Int32(row), Int32(column)) != 0 }

    /// Calls `body` with the bytes of a field, or returns `nil` for NULL. The bytes are valid during the call only.
    func withField<Value>(_ row: Int, _ column: Int, _ body: (borrowing Span<UInt8>) -> Value) -> Value? {
        let row = Int32(row)
        let column = Int32(column)
        guard unsafe PQgetisnull(handle, row, column) == 0, let start = unsafe PQgetvalue(handle, row, column) else {
            return nil
        }
        let length = Int(unsafe PQgetlength(handle, row, column))
        return unsafe start.withMemoryRebound(to: UInt8.self, capacity: length) { bytes in
            body(unsafe Span(_unsafeStart: bytes, count: length))
        }
    }

    /// The error that the server reported, without values that it may quote.
    func error(during statement: String) -> PersistenceError {
        guard let code = field(.sqlState) else {
            // Results made by libpq itself carry no SQLSTATE. The only such case here is a broken connection.
            return PersistenceError(.connectionLost, "the connection broke during \(statement)")
        }
        let state = SQLState(code)
        var detail = "\(statement) failed"
        if let constraint = field(.constraintName) { detail += " at \(constraint)" }
        if !state.messageMayQuoteValues, let message = field(.primaryMessage) { detail += ": \(message)" }
        return PersistenceError(.refusedByServer(state), detail)
    }

    private func field(_ field: ErrorField) -> String? {
        unsafe PQresultErrorField(handle, Int32(field.rawValue)).map { unsafe String(cString: $0) }
    }
}

extension Span<UInt8> {
    var copy: [UInt8] { unsafe withUnsafeBufferPointer { unsafe Array($0) } }
    var text: String { unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) } }
}

/// The `PG_DIAG_` macros. They are character literals, which Swift does not import.
private enum ErrorField: UInt8 {
    case sqlState = 0x43  // C
    case primaryMessage = 0x4D  // M
    case constraintName = 0x6E  // n
}

/// A PostgreSQL error code: five characters, the first two of which are its class (manual, appendix A).
package struct SQLState: Sendable, Hashable, CustomStringConvertible {
    package let code: String

    package init(_ code: String) {
        self.code = code
    }

    package var errorClass: String { String(code.prefix(2)) }
    package var description: String { code }

    static let readOnlyTransaction = SQLState("25006")
    static let idleInTransactionTimeout = SQLState("25P03")
    static let notNullViolation = SQLState("23502")
    package static let uniqueViolation = SQLState("23505")
    static let checkViolation = SQLState("23514")
    static let lockNotAvailable = SQLState("55P03")
    static let deadlockDetected = SQLState("40P01")
    static let queryCanceled = SQLState("57014")

    /// The values are invalid, not the statement or the server: the same values will fail again.
    /// Classes: data exception, integrity constraint violation, program limit exceeded.
    var blamesData: Bool { ["22", "23", "54"].contains(errorClass) }

    /// The server closes the connection with this error: connection exception, shutdown, crash, starting up, idle
    /// timeout.
    var endsConnection: Bool {
        errorClass == "08" || code.hasPrefix("57P") || self == .idleInTransactionTimeout
    }

    /// The same transaction may succeed when it is retried: serialization failure, deadlock, lock or statement
    /// timeout.
    var isTransient: Bool {
        errorClass == "40" || self == .lockNotAvailable || self == .queryCanceled
    }

    /// The server cannot do it now: out of disk or memory, too many connections, read-only or in recovery.
    var isShortage: Bool { errorClass == "53" || self == .readOnlyTransaction }

    /// The schema changed under a prepared statement, or the server lost the statement. A new connection helps.
    var spoilsPreparedStatements: Bool { ["0A000", "26000"].contains(code) }

    /// Whether the server's primary message can quote a parameter value.
    var messageMayQuoteValues: Bool {
        !["08", "25", "28", "3D", "40", "42", "53", "55", "57", "58"].contains(errorClass)
    }
}

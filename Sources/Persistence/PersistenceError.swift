/// A database error. `description` contains neither parameter values nor a password.
package struct PersistenceError: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// The connection string cannot be parsed.
        case invalidConfiguration
        /// No connection could be established.
        case connectionFailed
        /// The connection broke. The statements in progress may or may not have been committed.
        case connectionLost
        /// The server did not answer in time. The connection is closed, as after `connectionLost`.
        case timedOut
        /// The server returned an error.
        case refusedByServer(SQLState)
        /// The result does not have the shape that the statement promises.
        case malformedReply
        /// The queue is full. Nothing was attempted.
        case overloaded
        /// The projected tables do not hold all committed events yet.
        case behind
        /// The writer or the store has been stopped. Nothing was attempted.
        case stopped
        /// The database is reached in a way in which this server cannot work. `detail` says what is needed.
        case unsuitable
        /// The caller's task was cancelled, and its query with it.
        case cancelled
    }

    package let kind: Kind
    /// Text for people. Safe to print.
    package let detail: String

    package init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    package var sqlState: SQLState? {
        guard case .refusedByServer(let state) = kind else { return nil }
        return state
    }

    /// The same call may succeed later.
    package var isRetriable: Bool {
        switch kind {
        case .invalidConfiguration, .malformedReply, .stopped, .cancelled: false
        case .connectionFailed, .connectionLost, .timedOut, .overloaded, .behind, .unsuitable: true
        case .refusedByServer(let state): state.isTransient || state.isShortage || state.endsConnection
        }
    }

    /// The connection is no longer usable.
    package var isConnectionLost: Bool {
        switch kind {
        case .connectionFailed, .connectionLost, .timedOut, .unsuitable: true
        case .refusedByServer(let state): state.endsConnection
        case .invalidConfiguration, .malformedReply, .overloaded, .behind, .stopped, .cancelled: false
        }
    }

    /// The values are invalid: the same values will fail again.
    package var isDataError: Bool { sqlState?.blamesData ?? false }
}

extension PersistenceError: CustomStringConvertible {
    package var description: String {
        switch kind {
        case .refusedByServer(let state): "\(detail) (SQLSTATE \(state))"
        default: detail
        }
    }
}

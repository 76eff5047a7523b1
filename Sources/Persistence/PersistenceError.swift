/// What went wrong with the database. `description` holds no value that was sent and no password.
public struct PersistenceError: Error, Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
        /// The connection string cannot be read.
        case invalidConfiguration
        /// No connection could be made.
        case connectionFailed
        /// The connection broke; what was under way may or may not have been committed.
        case connectionLost
        /// The server did not answer in time. The connection is given up, as after `connectionLost`.
        case timedOut
        /// The server answered with an error.
        case refusedByServer(SQLState)
        /// The answer is not what the statement promises.
        case malformedReply
        /// Too much is waiting already; nothing was tried.
        case overloaded
        /// What is derived from the log does not hold all committed events yet.
        case behind
        /// The writer or the store has been stopped; nothing was tried.
        case stopped
    }

    public let kind: Kind
    /// For people; safe to print.
    public let detail: String

    package init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    public var sqlState: SQLState? {
        guard case .refusedByServer(let state) = kind else { return nil }
        return state
    }

    /// The same call may succeed later.
    public var isRetriable: Bool {
        switch kind {
        case .invalidConfiguration, .malformedReply, .stopped: false
        case .connectionFailed, .connectionLost, .timedOut, .overloaded, .behind: true
        case .refusedByServer(let state): state.isTransient || state.isShortage || state.endsConnection
        }
    }

    /// The connection cannot be used any more.
    public var isConnectionLost: Bool {
        switch kind {
        case .connectionFailed, .connectionLost, .timedOut: true
        case .refusedByServer(let state): state.endsConnection
        case .invalidConfiguration, .malformedReply, .overloaded, .behind, .stopped: false
        }
    }

    /// The values are at fault: the same ones fail again.
    public var isDataError: Bool { sqlState?.blamesData ?? false }
}

extension PersistenceError: CustomStringConvertible {
    public var description: String {
        switch kind {
        case .refusedByServer(let state): "\(detail) (SQLSTATE \(state))"
        default: detail
        }
    }
}

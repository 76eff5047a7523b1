internal import Persistence

/// Decides which failures of something that is tried again and again are logged: each when it begins, or follows
/// another one.
struct FailureLog {
    private var logged: String?

    /// Returns whether to log the failure.
    mutating func failed(_ error: PersistenceError) -> Bool {
        // The supervisor logs that the database is unavailable. The other kinds are passing, or the server stops.
        if error.isConnectionLost || [.behind, .overloaded, .stopped, .cancelled].contains(error.kind) { return false }
        defer { logged = error.description }
        return logged != error.description
    }

    /// Returns whether to log that a failure is over.
    mutating func succeeded() -> Bool {
        defer { logged = nil }
        return logged != nil
    }
}

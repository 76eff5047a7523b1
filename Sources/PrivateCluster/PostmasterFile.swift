/// What `postmaster.pid` says: process, data directory, start time, port, socket directory, address, shared memory,
/// state; one a line (PostgreSQL's `miscadmin.h`, "lock file").
struct PostmasterFile: Sendable, Equatable {
    enum Status: Sendable, Equatable {
        case starting
        case ready
        case stopping
    }

    let processID: Int32
    let status: Status

    /// `nil` where the file is not a postmaster's, or is not written to its end of the first line yet.
    init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // A standalone backend, such as initdb's, writes its number negated.
        guard let first = lines.first, let processID = Int32(first), processID > 0 else { return nil }
        self.processID = processID
        let word = lines.count > 7 ? lines[7].prefix { $0 != " " } : ""
        switch word {
        case "ready", "standby": status = .ready
        case "stopping": status = .stopping
        default: status = .starting
        }
    }
}

/// The content of `postmaster.pid`: process id, data directory, start time, port, socket directory, address, shared
/// memory and state, one per line (PostgreSQL's `miscadmin.h`, "lock file").
struct PostmasterFile: Sendable, Equatable {
    enum Status: Sendable, Equatable {
        case starting
        case ready
        case stopping
    }

    let processID: Int32
    let status: Status

    /// Returns `nil` if the file does not belong to a postmaster, or its first line is not complete yet.
    init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // A standalone backend, such as initdb's, writes its process id negated.
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

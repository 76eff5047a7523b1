import EventModel

/// Messages between the servers of one database, sent by NOTIFY. They may be lost: what they announce is also found by
/// asking the database from time to time.
enum LogNotice: Equatable, Sendable {
    static let channel = "claude_monitor_log"

    /// A server of this name works with the database. Sent every few seconds.
    case present(String)
    /// The server has committed events up to this position.
    case reached(StreamPosition, by: String)
    /// A read waits for the projection.
    case awaited(projection: String)
    /// The lease holder must release the lease for a few seconds.
    case yield(projection: String)
    /// Rows that other servers read have changed: those of the projection, or a feature's own.
    case changed(String)
    /// A person erased the events of these sessions; `nil` if the sessions are not named. Copies in memory must be
    /// dropped.
    case erased(sessions: Set<String>?)

    init?(payload: String) {
        let words = payload.split(separator: " ").map(String.init)
        if words.count == 4, words[0] == "reached", let seq = Int64(words[3]) {
            self = .reached(StreamPosition(epoch: words[2], seq: seq), by: words[1])
            return
        }
        guard words.count == 2 else { return nil }
        switch words[0] {
        case "present": self = .present(words[1])
        case "awaited": self = .awaited(projection: words[1])
        case "yield": self = .yield(projection: words[1])
        case "changed": self = .changed(words[1])
        case "erased":
            self = .erased(sessions: words[1] == "*" ? nil : Set(words[1].split(separator: ",").map(String.init)))
        default: return nil
        }
    }

    var payload: String {
        switch self {
        case .present(let name): "present \(name)"
        case .reached(let position, let name): "reached \(name) \(position.epoch) \(position.seq)"
        case .awaited(let name): "awaited \(name)"
        case .yield(let name): "yield \(name)"
        case .changed(let name): "changed \(name)"
        case .erased(let sessions): "erased \(sessions?.sorted().joined(separator: ",") ?? "*")"
        }
    }

    /// `nil` for a notice that is not for a projector.
    var projection: String? {
        switch self {
        case .awaited(let name), .yield(let name): name
        case .present, .reached, .changed, .erased: nil
        }
    }
}

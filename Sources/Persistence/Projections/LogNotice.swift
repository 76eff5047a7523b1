/// Messages about the log between servers of one database, sent by NOTIFY. Their arrival is not required: the server
/// that runs a projection also polls the log's end once a second.
enum LogNotice: Equatable, Sendable {
    static let channel = "claude_monitor_log"

    /// A server that does not run this projection committed events.
    case committed(projection: String)
    /// A read waits for the projection.
    case awaited(projection: String)
    /// The lease holder must release the lease for a few seconds.
    case yield(projection: String)
    /// A person erased events, of these sessions; `nil` if they are not named. Copies of them in memory must go.
    case erased(sessions: Set<String>?)

    init?(payload: String) {
        let words = payload.split(separator: " ").map(String.init)
        guard words.count == 2 else { return nil }
        switch words[0] {
        case "committed": self = .committed(projection: words[1])
        case "awaited": self = .awaited(projection: words[1])
        case "yield": self = .yield(projection: words[1])
        case "erased":
            self = .erased(sessions: words[1] == "*" ? nil : Set(words[1].split(separator: ",").map(String.init)))
        default: return nil
        }
    }

    var payload: String {
        switch self {
        case .committed(let name): "committed \(name)"
        case .awaited(let name): "awaited \(name)"
        case .yield(let name): "yield \(name)"
        case .erased(let sessions): "erased \(sessions?.sorted().joined(separator: ",") ?? "*")"
        }
    }

    /// `nil` if it concerns all.
    var projection: String? {
        switch self {
        case .committed(let name), .awaited(let name), .yield(let name): name
        case .erased: nil
        }
    }
}

internal import EventModel
internal import JSON

/// The sessions that made the copied requests of a transcript event. The requests name them; those of older events are
/// in `copied_from`.
struct RequestOrigins {
    private var sessions: [String: String] = [:]
    private var named: Set<String>
    private let machine: MachineID

    init(_ committed: CommittedEvent) {
        machine = committed.event.machine
        named = Set(committed.event.facts.report?.requests.compactMap(\.origin) ?? [])
        guard committed.event.type == .transcript, named.isEmpty,
            let payload = try? JSONValue.parse(committed.event.payload),
            case .object(let members)? = payload["copied_from"]
        else { return }
        for (session, requests) in members {
            for case .string(let id) in requests.array ?? [] { sessions[id] = session }
        }
    }

    var all: Set<RequestOrigin> {
        Set(named.union(sessions.values).map { RequestOrigin(sessionID: $0, machine: machine) })
    }

    /// Returns `nil` for a request of the transcript's own session.
    func origin(of request: RequestUsage) -> RequestOrigin? {
        let session = request.origin ?? (request.requestID ?? request.messageID).flatMap { sessions[$0] }
        return session.map { RequestOrigin(sessionID: $0, machine: machine) }
    }
}

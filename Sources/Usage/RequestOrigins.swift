internal import EventModel
internal import JSON

/// The sessions that made the copied requests of a transcript event. The event names them in `copied_from`.
struct RequestOrigins {
    private var sessions: [String: String] = [:]
    private let machine: MachineID

    init(_ committed: CommittedEvent) {
        machine = committed.event.machine
        guard committed.event.type == .transcript, let payload = try? JSONValue.parse(committed.event.payload),
            case .object(let members)? = payload["copied_from"]
        else { return }
        for (session, requests) in members {
            for case .string(let id) in requests.array ?? [] { sessions[id] = session }
        }
    }

    var all: Set<RequestOrigin> { Set(sessions.values.map { RequestOrigin(sessionID: $0, machine: machine) }) }

    /// Returns `nil` for a request of the transcript's own session.
    func origin(of request: RequestUsage) -> RequestOrigin? {
        guard !sessions.isEmpty, let id = request.requestID ?? request.messageID else { return nil }
        return sessions[id].map { RequestOrigin(sessionID: $0, machine: machine) }
    }
}

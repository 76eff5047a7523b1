import ClientAPI
import EventModel
import HTTPModel
import JSON

/// Events and sessions in memory, and what was asked for.
actor FakeStore: EventStore {
    var events: [CommittedEvent] = []
    var stored: [Session] = []
    private(set) var lastSessionQuery: SessionQuery?
    private(set) var lastEventQuery: EventQuery?

    init(events: [CommittedEvent] = [], sessions: [Session] = []) {
        self.events = events
        stored = sessions
    }

    func bounds() async throws(APIError) -> LogBounds {
        LogBounds(epoch: "e1", head: Int64(events.count), oldest: 1)
    }

    func events(_ query: EventQuery) async throws(APIError) -> EventPage {
        lastEventQuery = query
        let matching = events.filter { $0.seq > query.after ?? 0 && $0.seq < query.before ?? .max }
        let events = Array((query.isDescending ? matching.reversed() : matching).prefix(query.limit))
        return EventPage(events: events, isComplete: true)
    }

    func sessions(_ query: SessionQuery) async throws(APIError) -> SessionPage {
        lastSessionQuery = query
        let page = Array(stored.dropFirst(query.offset ?? 0).prefix(query.limit))
        return SessionPage(
            sessions: page,
            hasMore: stored.count > (query.offset ?? 0) + page.count,
            total: query.offset == nil ? nil : Int64(stored.count)
        )
    }

    func session(id: String) async throws(APIError) -> Session? { stored.first { $0.id == id } }

    func statistics(now: Timestamp) async throws(APIError) -> SessionStatistics { SessionStatistics() }

    func machines() async throws(APIError) -> [MachineRecord] { [] }
}

enum Sample {
    static let time = Timestamp(microseconds: 1_767_607_200_000_000)

    static func event(_ seq: Int64) -> CommittedEvent {
        let event = MonitorEvent(
            id: EventID(high: 0, low: UInt64(seq)),
            type: .tool,
            hookEventName: .known(.postToolUse),
            timestamp: time,
            receivedAt: time,
            machine: MachineID(rawValue: 1),
            machineName: "mac-studio",
            sessionID: "s1",
            projectPath: "/home/dev/app",
            toolName: "Bash",
            summary: "npm test",
            payload: Array(#"{"tool_name":"Bash"}"#.utf8),
            facts: SessionFacts()
        )
        return CommittedEvent(seq: seq, event: event, workspaceID: "ws-1")
    }

    static func session(_ id: String) -> Session {
        var fold = SessionFold(id: id)
        fold.apply(event(1).event, seq: 1)
        return fold.session!
    }
}

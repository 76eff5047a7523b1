import Audit
import ClientAPI
import EventModel
import HTTPModel
import JSON
import Search
import Sessions
import Transcripts
import Usage

/// Events, sessions and projects in memory, and what was asked for.
actor FakeStore: EventStore, ProjectStore, UsageStore, AuditStore, ConversationStore, SearchStore {
    var events: [CommittedEvent] = []
    /// Where a page ends because enough of the log was looked at.
    private var through: Int64?
    var stored: [Session] = []
    var projects: [Project] = []
    var rows: [UsageRow] = []
    var audit: [AuditRecord] = []
    private(set) var lastAuditQuery: AuditQuery?
    private(set) var lastUsageQuery: UsageQuery?
    private(set) var lastProjectQuery: ProjectQuery?
    private(set) var created: NewProject?
    private(set) var changed: ProjectChange?
    private(set) var lastSessionQuery: SessionQuery?
    private(set) var lastEventQuery: EventQuery?

    init(
        events: [CommittedEvent] = [],
        sessions: [Session] = [],
        projects: [Project] = [],
        rows: [UsageRow] = [],
        audit: [AuditRecord] = []
    ) {
        self.events = events
        stored = sessions
        self.projects = projects
        self.rows = rows
        self.audit = audit
    }

    func endPages(at place: Int64) { through = place }

    func bounds() async throws(APIError) -> LogBounds {
        LogBounds(epoch: "e1", head: Int64(events.count), oldest: 1)
    }

    func events(_ query: EventQuery) async throws(APIError) -> EventPage {
        lastEventQuery = query
        let fitting = events.filter { $0.seq > query.after ?? 0 && $0.seq < query.before ?? .max }
        let matching = Array(fitting.dropFirst(query.offset ?? 0))
        let events = Array((query.isDescending ? matching.reversed() : matching).prefix(query.limit))
        return EventPage(events: events, through: through)
    }

    func eventCount(_ query: EventQuery) async throws(APIError) -> Int64 { Int64(events.count) }

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
    func deleteSession(id: String) async throws(APIError) -> Bool { stored.contains { $0.id == id } }

    func prompts(_ query: PromptQuery) async throws(APIError) -> PromptPage {
        PromptPage(prompts: [], hasMore: false, total: nil)
    }

    func statistics(now: Timestamp) async throws(APIError) -> SessionStatistics { SessionStatistics() }

    func auditLog(_ query: AuditQuery) async throws(APIError) -> [AuditRecord] {
        lastAuditQuery = query
        return Array(audit.filter { $0.id < query.before ?? .max }.prefix(query.limit))
    }

    func machine(named name: String) async throws(APIError) -> MachineID? {
        name == "studio" ? MachineID(rawValue: 7) : nil
    }

    func machines() async throws(APIError) -> [MachineRecord] { [] }

    func projects(_ query: ProjectQuery) async throws(APIError) -> ProjectPage {
        lastProjectQuery = query
        let page = Array(projects.dropFirst(query.offset ?? 0).prefix(query.limit))
        return ProjectPage(
            projects: page,
            hasMore: projects.count > (query.offset ?? 0) + page.count,
            total: query.offset == nil ? nil : Int64(projects.count)
        )
    }

    func project(id: String, now: Timestamp) async throws(APIError) -> Project? { projects.first { $0.id == id } }

    func createProject(_ project: NewProject) async throws(APIError) -> ProjectCreation {
        created = project
        guard project.machine != "nowhere" else { return .unknownMachine }
        guard project.path != "/taken" else { return .exists(id: "ws-0") }
        projects.append(Sample.project(project.spareID, name: project.name))
        return .created(id: project.spareID)
    }

    func changeProject(id: String, _ change: ProjectChange) async throws(APIError) -> Bool {
        changed = change
        return projects.contains { $0.id == id }
    }

    func deleteProject(id: String) async throws(APIError) -> Bool {
        defer { projects.removeAll { $0.id == id } }
        return projects.contains { $0.id == id }
    }

    func usage(_ query: UsageQuery) async throws(APIError) -> [UsageRow] {
        lastUsageQuery = query
        return rows
    }

    func check(_ zone: TimeZoneName) async throws(APIError) {
        guard zone == .utc else { throw .unknownTimeZone }
    }

    func localDay(
        _ choice: LocalDay.Choice,
        later: Int64,
        in zone: TimeZoneName
    ) async throws(APIError) -> LocalDay {
        throw .unknownTimeZone
    }

    func usageSums(_ query: RequestUsageQuery) async throws(APIError) -> UsageSums { UsageSums(total: UsageSum()) }

    func toolCalls(_ query: RequestUsageQuery, now: Timestamp) async throws(APIError) -> [UsageSum] { [] }

    func usageWindows(_ query: RequestUsageQuery, now: Timestamp) async throws(APIError) -> UsageWindows {
        let none = UsageWindows.Window(span: nil, sum: UsageSum())
        return UsageWindows(at: now, fiveHours: none, sevenDays: none)
    }

    func search(_ query: SearchQuery) async throws(APIError) -> SearchPage { SearchPage(results: [], hasMore: false) }

    func conversation(_ query: ConversationQuery) async throws(APIError) -> ConversationPage {
        ConversationPage(messages: [], hasMore: false, total: 0)
    }

    func requests(
        of sessionID: String,
        after: (at: Timestamp, key: String)?,
        limit: Int
    ) async throws(APIError) -> RequestPage {
        RequestPage(requests: [], hasMore: false)
    }
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

    static func project(_ id: String, name: String = "app") -> Project {
        Project(id: id, name: name, path: nil, createdAt: time, updatedAt: time, lastActivityAt: time)
    }

    static func message(_ seq: Int64, _ type: String, _ payload: String) -> CommittedEvent {
        event(seq).replacing {
            $0.type = EventType(rawValue: type)
            $0.payload = Array(payload.utf8)
        }
    }

    static func session(_ id: String) -> Session {
        var fold = SessionState(id: id)
        fold.apply(event(1))
        return fold.session!
    }
}

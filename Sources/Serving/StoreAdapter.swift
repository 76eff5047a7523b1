internal import Audit
package import ClientAPI
internal import Completeness
package import Devices
package import EventModel
internal import HTTPModel
package import Heartbeats
package import Interaction
internal import Persistence
internal import Search
internal import Sessions
internal import Transcripts
package import Usage

extension Database: MachineDirectory {}

extension API {
    /// The routes that read or change stored data.
    package static func routes(
        _ database: Database,
        _ interaction: InteractionService,
        keys: KeyService,
        prices: PriceList,
        reports: MachineReports,
        clock: @escaping @Sendable () -> Timestamp
    ) -> [Route] {
        let store = StoreAdapter(database: database, interaction: interaction, clock: clock)
        return routes(store: store, keys: keys, prices: prices, reports: reports, clock: clock)
    }
}

/// The API's view of the database.
struct StoreAdapter: EventStore, ProjectStore, UsageStore, AuditStore, ConversationStore, SearchStore {
    let database: Database
    let interaction: InteractionService
    let clock: @Sendable () -> Timestamp

    func bounds() async throws(APIError) -> LogBounds {
        try await database.use { store throws(PersistenceError) in try await store.bounds() }
    }

    func events(_ query: EventQuery) async throws(APIError) -> EventPage {
        try await database.use { store throws(PersistenceError) in try await store.events(query) }
    }

    func eventCount(_ query: EventQuery) async throws(APIError) -> Int64 {
        try await database.use { store throws(PersistenceError) in try await store.eventCount(query) }
    }

    func sessions(_ query: SessionQuery) async throws(APIError) -> SessionPage {
        try await database.use { store throws(PersistenceError) in try await store.sessionsWithEvidence(query) }
    }

    func session(id: String) async throws(APIError) -> Session? {
        try await database.use { store throws(PersistenceError) in
            try await store.sessionWithEvidence(id: id, now: clock())
        }
    }

    func deleteSession(id: String) async throws(APIError) -> Bool {
        try await database.use { store throws(PersistenceError) in try await store.deleteSession(id: id) }
    }

    func prompts(_ query: PromptQuery) async throws(APIError) -> PromptPage {
        var page = try await database.use { store throws(PersistenceError) in try await store.prompts(query) }
        page.prompts = await interaction.completed(page.prompts)
        return page
    }

    func statistics(now: Timestamp) async throws(APIError) -> SessionStatistics {
        try await database.use { store throws(PersistenceError) in try await store.statisticsWithUsage(now: now) }
    }

    func machine(named name: String) async throws(APIError) -> MachineID? {
        try await database.machine(named: name)
    }

    func machines() async throws(APIError) -> [MachineRecord] {
        try await database.use { store throws(PersistenceError) in
            try await store.withCompleteness(try await store.machines())
        }
    }

    func projects(_ query: ProjectQuery) async throws(APIError) -> ProjectPage {
        try await database.use { store throws(PersistenceError) in try await store.projects(query) }
    }

    func project(id: String, now: Timestamp) async throws(APIError) -> Project? {
        try await database.use { store throws(PersistenceError) in try await store.project(id: id, now: now) }
    }

    func createProject(_ project: NewProject) async throws(APIError) -> ProjectCreation {
        try await database.use { store throws(PersistenceError) in try await store.createProject(project) }
    }

    func changeProject(id: String, _ change: ProjectChange) async throws(APIError) -> Bool {
        try await database.use { store throws(PersistenceError) in try await store.changeProject(id: id, change) }
    }

    func deleteProject(id: String) async throws(APIError) -> Bool {
        try await database.use { store throws(PersistenceError) in try await store.deleteProject(id: id) }
    }

    func auditLog(_ query: AuditQuery) async throws(APIError) -> [AuditRecord] {
        try await database.use { store throws(PersistenceError) in try await store.auditLog(query) }
    }

    func usage(_ query: UsageQuery) async throws(APIError) -> [UsageRow] {
        try await database.use { store throws(PersistenceError) in try await store.usageWithRequests(query) }
    }

    func check(_ zone: TimeZoneName) async throws(APIError) {
        let exists = try await database.use { store throws(PersistenceError) in try await store.knows(zone) }
        guard exists else { throw .unknownTimeZone }
    }

    func localDay(
        _ choice: LocalDay.Choice,
        later: Int64,
        in zone: TimeZoneName
    ) async throws(APIError) -> LocalDay {
        try await check(zone)
        return try await database.use { store throws(PersistenceError) in
            try await store.localDay(choice, later: later, in: zone)
        }
    }

    func usageSums(_ query: RequestUsageQuery) async throws(APIError) -> UsageSums {
        try await database.use { store throws(PersistenceError) in try await store.usageSums(query) }
    }

    func toolCalls(_ query: RequestUsageQuery, now: Timestamp) async throws(APIError) -> [UsageSum] {
        try await database.use { store throws(PersistenceError) in try await store.toolCalls(query, now: now) }
    }

    func usageWindows(_ query: RequestUsageQuery, now: Timestamp) async throws(APIError) -> UsageWindows {
        try await database.use { store throws(PersistenceError) in try await store.usageWindows(query, now: now) }
    }

    func search(_ query: SearchQuery) async throws(APIError) -> SearchPage {
        try await database.use { store throws(PersistenceError) in try await store.search(query) }
    }

    func conversation(_ query: ConversationQuery) async throws(APIError) -> ConversationPage {
        try await database.use { store throws(PersistenceError) in try await store.conversation(query) }
    }

    func requests(
        of sessionID: String,
        after: (at: Timestamp, key: String)?,
        limit: Int
    ) async throws(APIError) -> RequestPage {
        try await database.use { store throws(PersistenceError) in
            try await store.requests(of: sessionID, after: after, limit: limit)
        }
    }
}

extension PostgresStore {
    /// Returns sessions together with what features other than the log know about them.
    func sessionsWithEvidence(_ query: SessionQuery) async throws(PersistenceError) -> SessionPage {
        var page = try await sessionsWithUsage(query)
        page.sessions = try await withEvidence(page.sessions, now: query.now)
        return page
    }

    func sessionWithEvidence(id: String, now: Timestamp) async throws(PersistenceError) -> Session? {
        guard let session = try await sessionWithUsage(id: id) else { return nil }
        return try await withEvidence([session], now: now).first
    }

    private func withEvidence(_ sessions: [Session], now: Timestamp) async throws(PersistenceError) -> [Session] {
        try await withPosters(try await withCompleteness(try await withHeartbeats(sessions, now: now)))
    }
}

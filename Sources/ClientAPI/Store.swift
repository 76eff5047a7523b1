public import EventModel
public import HTTPModel
public import Sessions

/// The machines, as clients name them.
public protocol MachineDirectory: Sendable {
    /// By its name or its number, never by what it calls itself. `nil`: there is none.
    func machine(named name: String) async throws(APIError) -> MachineID?
}

extension MachineDirectory {
    /// What `machine` or `machine_id` selects; `nil` without either.
    public func machineFilter(_ query: QueryParameters) async throws(APIError) -> MachineFilter? {
        guard let name = query.machineName else { return nil }
        return try await machine(named: name).map { .machine($0) } ?? .reported(name)
    }
}

extension QueryParameters {
    public var machineName: String? { self["machine"] ?? self["machine_id"] }
}

/// The committed log and what is derived from it, as far as clients may ask. The composition root stands behind it.
public protocol EventStore: MachineDirectory {
    func bounds() async throws(APIError) -> LogBounds
    func events(_ query: EventQuery) async throws(APIError) -> EventPage
    /// Of all events that fit, whatever the query's limit and offset.
    func eventCount(_ query: EventQuery) async throws(APIError) -> Int64
    func sessions(_ query: SessionQuery) async throws(APIError) -> SessionPage
    func session(id: String) async throws(APIError) -> Session?
    func prompts(_ query: PromptQuery) async throws(APIError) -> PromptPage
    func prompt(id: String) async throws(APIError) -> PromptRecord?
    func statistics(now: Timestamp) async throws(APIError) -> SessionStatistics
    func machines() async throws(APIError) -> [MachineRecord]
}

/// Projects, as clients see and change them.
public protocol ProjectStore: MachineDirectory {
    func projects(_ query: ProjectQuery) async throws(APIError) -> ProjectPage
    func project(id: String, now: Timestamp) async throws(APIError) -> Project?
    func createProject(_ project: NewProject) async throws(APIError) -> ProjectCreation
    /// False: there is none of that id.
    func changeProject(id: String, _ change: ProjectChange) async throws(APIError) -> Bool
    /// False: there is none of that id.
    func deleteProject(id: String) async throws(APIError) -> Bool
}

/// Sums over days.
public protocol UsageStore: Sendable {
    func usage(_ query: UsageQuery) async throws(APIError) -> [UsageRow]
}

/// What was granted, refused and revoked.
public protocol AuditStore: Sendable {
    func auditLog(_ query: AuditQuery) async throws(APIError) -> [AuditRecord]
}

/// Machine keys, as an operator handles them.
public protocol KeyAdministration: Sendable {
    /// The key's text is in this answer and nowhere else. Makes the machine if there is none of that name.
    func createKey(machineName: String, _ caller: Caller) async throws(APIError) -> (record: KeyRecord, key: String)
    func keys() async throws(APIError) -> [KeyRecord]
    /// By the key's id or by its machine's name (then every key of it). Empty if there is none to revoke.
    func revokeKeys(_ idOrName: String, _ caller: Caller) async throws(APIError) -> [KeyRecord]
}

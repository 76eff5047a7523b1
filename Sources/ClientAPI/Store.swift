public import Audit
public import EventModel
public import HTTPModel
public import Sessions
package import Usage

/// Looks up machines by the names that clients use.
public protocol MachineDirectory: Sendable {
    /// Matches the machine's name or its number, never the name that it reports. Returns `nil` if none matches.
    func machine(named name: String) async throws(APIError) -> MachineID?
}

extension MachineDirectory {
    /// Returns the machine selected by `machine` or `machine_id`, or `nil` without either.
    public func machineFilter(_ query: QueryParameters) async throws(APIError) -> MachineFilter? {
        guard let name = query.machineName else { return nil }
        return try await machine(named: name).map { .machine($0) } ?? .reported(name)
    }
}

extension QueryParameters {
    public var machineName: String? { self["machine"] ?? self["machine_id"] }
}

/// Client reads of the committed log and of the tables derived from it. The composition root implements it.
public protocol EventStore: MachineDirectory {
    func bounds() async throws(APIError) -> LogBounds
    func events(_ query: EventQuery) async throws(APIError) -> EventPage
    /// The number of matching events; ignores the query's limit and offset.
    func eventCount(_ query: EventQuery) async throws(APIError) -> Int64
    func sessions(_ query: SessionQuery) async throws(APIError) -> SessionPage
    func session(id: String) async throws(APIError) -> Session?
    /// Removes the session from the lists; its events stay. Returns false if it does not exist.
    func deleteSession(id: String) async throws(APIError) -> Bool
    func prompts(_ query: PromptQuery) async throws(APIError) -> PromptPage
    func statistics(now: Timestamp) async throws(APIError) -> SessionStatistics
    func machines() async throws(APIError) -> [MachineRecord]
}

/// Reads and changes of projects by clients.
public protocol ProjectStore: MachineDirectory {
    func projects(_ query: ProjectQuery) async throws(APIError) -> ProjectPage
    func project(id: String, now: Timestamp) async throws(APIError) -> Project?
    func createProject(_ project: NewProject) async throws(APIError) -> ProjectCreation
    /// Returns false if the project does not exist.
    func changeProject(id: String, _ change: ProjectChange) async throws(APIError) -> Bool
    /// Returns false if the project does not exist.
    func deleteProject(id: String) async throws(APIError) -> Bool
}

/// Sums of events and sessions per day, and of requests to models.
package protocol UsageStore: MachineDirectory {
    func session(id: String) async throws(APIError) -> Session?
    func usage(_ query: UsageQuery) async throws(APIError) -> [UsageRow]
    func usageSums(_ query: RequestUsageQuery) async throws(APIError) -> UsageSums
    /// Throws 400 `invalid_parameter` if there is no such time zone.
    func check(_ zone: TimeZoneName) async throws(APIError)
    /// - Parameter later: how many days later; negative for earlier.
    func localDay(_ choice: LocalDay.Choice, later: Int64, in zone: TimeZoneName) async throws(APIError) -> LocalDay
    /// Returns one group for each tool, with its calls.
    func toolCalls(_ query: RequestUsageQuery, now: Timestamp) async throws(APIError) -> [UsageSum]
    func usageWindows(_ query: RequestUsageQuery, now: Timestamp) async throws(APIError) -> UsageWindows
    func requests(
        of sessionID: String,
        after: (at: Timestamp, key: String)?,
        limit: Int
    ) async throws(APIError) -> RequestPage
}

/// Grants, refusals and revocations.
public protocol AuditStore: Sendable {
    func auditLog(_ query: AuditQuery) async throws(APIError) -> [AuditRecord]
}

/// Management of machine keys by an operator.
public protocol KeyAdministration: Sendable {
    /// Only this answer contains the key's text. Creates the machine if no machine has this name.
    func createKey(machineName: String, _ caller: Caller) async throws(APIError) -> (record: KeyRecord, key: String)
    func keys() async throws(APIError) -> [KeyRecord]
    /// Revokes by key id, or by machine name (then all keys of the machine). Returns an empty array if no key
    /// matches.
    func revokeKeys(_ idOrName: String, _ caller: Caller) async throws(APIError) -> [KeyRecord]
}

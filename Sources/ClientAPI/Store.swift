public import EventModel
public import HTTPModel

/// The committed log and what is derived from it, as far as clients may ask. The composition root stands behind it.
public protocol EventStore: Sendable {
    func bounds() async throws(APIError) -> LogBounds
    func events(_ query: EventQuery) async throws(APIError) -> EventPage
    func sessions(_ query: SessionQuery) async throws(APIError) -> SessionPage
    func session(id: String) async throws(APIError) -> Session?
    func statistics(now: Timestamp) async throws(APIError) -> SessionStatistics
    func machines() async throws(APIError) -> [MachineRecord]
}

/// Machine keys, as an operator handles them.
public protocol KeyAdministration: Sendable {
    /// The key's text is in this answer and nowhere else. Makes the machine if there is none of that name.
    func createKey(machineName: String) async throws(APIError) -> (record: KeyRecord, key: String)
    func keys() async throws(APIError) -> [KeyRecord]
    /// By the key's id or by its machine's name (then every key of it). Empty if there is none to revoke.
    func revokeKeys(_ idOrName: String) async throws(APIError) -> [KeyRecord]
}

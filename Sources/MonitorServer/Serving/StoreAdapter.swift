internal import ClientAPI
internal import EventModel
internal import HTTPModel
internal import Persistence

/// The API's view of the database.
struct StoreAdapter: EventStore {
    let database: Database

    func bounds() async throws(APIError) -> LogBounds {
        try await database.read { reader throws(PersistenceError) in try await reader.bounds() }
    }

    func events(_ query: EventQuery) async throws(APIError) -> EventPage {
        try await database.read { reader throws(PersistenceError) in try await reader.events(query) }
    }

    func sessions(_ query: SessionQuery) async throws(APIError) -> SessionPage {
        try await database.read { reader throws(PersistenceError) in try await reader.sessions(query) }
    }

    func session(id: String) async throws(APIError) -> Session? {
        try await database.read { reader throws(PersistenceError) in try await reader.session(id: id) }
    }

    func statistics(now: Timestamp) async throws(APIError) -> SessionStatistics {
        try await database.read { reader throws(PersistenceError) in try await reader.statistics(now: now) }
    }

    func machines() async throws(APIError) -> [MachineRecord] {
        try await database.read { reader throws(PersistenceError) in try await reader.machines() }
    }
}

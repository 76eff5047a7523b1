internal import EventModel
internal import Persistence
internal import WSFanout

/// The database as the methods of `/ws` see it.
struct RPCStoreAdapter: RPCStore {
    let database: Database

    func bounds() async throws(RPCError) -> LogBounds {
        try await ask { reader throws(PersistenceError) in try await reader.bounds() }
    }

    func events(_ query: EventQuery) async throws(RPCError) -> EventPage {
        try await ask { reader throws(PersistenceError) in try await reader.events(query) }
    }

    func eventCount(_ query: EventQuery) async throws(RPCError) -> Int64 {
        try await ask { reader throws(PersistenceError) in try await reader.eventCount(query) }
    }

    func sessions(_ query: SessionQuery) async throws(RPCError) -> SessionPage {
        try await ask { reader throws(PersistenceError) in try await reader.sessions(query) }
    }

    func session(id: String) async throws(RPCError) -> Session? {
        try await ask { reader throws(PersistenceError) in try await reader.session(id: id) }
    }

    func deleteSession(id: String) async throws(RPCError) -> Bool {
        try await ask { reader throws(PersistenceError) in try await reader.deleteSession(id: id) }
    }

    func machines() async throws(RPCError) -> [MachineRecord] {
        try await ask { reader throws(PersistenceError) in try await reader.machines() }
    }

    func workspaces() async throws(RPCError) -> WorkspacePage {
        try await ask { reader throws(PersistenceError) in try await reader.workspaces() }
    }

    func workspace(id: String) async throws(RPCError) -> WorkspaceRecord? {
        try await ask { reader throws(PersistenceError) in try await reader.workspace(id: id) }
    }

    func addWorkspace(machine: MachineID, path: String, name: String?) async throws(RPCError) -> WorkspaceRecord? {
        try await ask { reader throws(PersistenceError) in
            try await reader.addWorkspace(machine: machine, path: path, name: name)
        }
    }

    func renameWorkspace(id: String, name: String) async throws(RPCError) -> WorkspaceRecord? {
        try await ask { reader throws(PersistenceError) in try await reader.renameWorkspace(id: id, name: name) }
    }

    func removeWorkspace(id: String) async throws(RPCError) -> Bool {
        try await ask { reader throws(PersistenceError) in try await reader.removeWorkspace(id: id) }
    }

    private func ask<Answer>(
        _ body: (EventReader) async throws(PersistenceError) -> Answer
    ) async throws(RPCError) -> Answer {
        guard case .ready(let workers) = database.state else { throw .unavailable() }
        do throws(PersistenceError) {
            return try await body(workers.reader)
        } catch {
            if error.isDataError { throw .invalidParameter("params", "hold text that cannot be stored") }
            throw error.isRetriable ? .unavailable() : .internalError("the database refused the request")
        }
    }
}

internal import CdevDialect
internal import ClientAPI
internal import EventModel
internal import Persistence
internal import RPC
internal import Sessions
internal import Transcripts
internal import Usage

/// The database for cdev's methods.
struct CdevDatabase: CdevLog, CdevSessions, CdevWorkspaces {
    let context: ServerContext

    func bounds() async throws(RPCError) -> LogBounds {
        try await ask { store throws(PersistenceError) in try await store.bounds() }
    }

    func events(_ query: EventQuery) async throws(RPCError) -> EventPage {
        try await ask { store throws(PersistenceError) in try await store.events(query) }
    }

    func eventCount(_ query: EventQuery) async throws(RPCError) -> Int64 {
        try await ask { store throws(PersistenceError) in try await store.eventCount(query) }
    }

    func conversation(_ query: ConversationQuery) async throws(RPCError) -> ConversationPage {
        try await ask { store throws(PersistenceError) in try await store.conversation(query) }
    }

    func sessions(_ query: SessionQuery) async throws(RPCError) -> SessionPage {
        try await ask { store throws(PersistenceError) in try await store.sessionsWithEvidence(query) }
    }

    func session(id: String) async throws(RPCError) -> Session? {
        try await ask { store throws(PersistenceError) in
            try await store.sessionWithEvidence(id: id, now: context.clock())
        }
    }

    func deleteSession(id: String) async throws(RPCError) -> Bool {
        try await ask { store throws(PersistenceError) in try await store.deleteSession(id: id) }
    }

    func machine(named name: String) async throws(RPCError) -> MachineID? {
        try await ask { store throws(PersistenceError) in try await store.machine(named: name) }
    }

    func machines() async throws(RPCError) -> [MachineRecord] {
        try await ask { store throws(PersistenceError) in try await store.machines() }
    }

    func workspaces() async throws(RPCError) -> WorkspacePage {
        try await ask { store throws(PersistenceError) in try await store.workspaces() }
    }

    func workspace(id: String) async throws(RPCError) -> WorkspaceRecord? {
        try await ask { store throws(PersistenceError) in try await store.workspace(id: id) }
    }

    func addWorkspace(
        machine: MachineID,
        path: String,
        name: String?,
        autoStart: Bool?
    ) async throws(RPCError) -> WorkspaceRecord? {
        try await ask { store throws(PersistenceError) in
            try await store.addWorkspace(machine: machine, path: path, name: name, autoStart: autoStart)
        }
    }

    func changeWorkspace(id: String, name: String?, autoStart: Bool?) async throws(RPCError) -> WorkspaceRecord? {
        try await ask { store throws(PersistenceError) in
            try await store.changeWorkspace(id: id, name: name, autoStart: autoStart)
        }
    }

    func removeWorkspace(id: String) async throws(RPCError) -> Bool {
        try await ask { store throws(PersistenceError) in try await store.removeWorkspace(id: id) }
    }

    private func ask<Answer>(
        _ body: (PostgresStore) async throws(PersistenceError) -> Answer
    ) async throws(RPCError) -> Answer {
        guard case .ready(let workers) = context.database.state else { throw .unavailable() }
        do throws(PersistenceError) {
            return try await body(workers.store)
        } catch {
            if error.isDataError { throw .invalidParameter("params", "hold text that cannot be stored") }
            throw error.isRetriable ? .unavailable() : .internalError("the database refused the request")
        }
    }
}

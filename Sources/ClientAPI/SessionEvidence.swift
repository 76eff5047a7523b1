internal import API
package import EventModel
internal import HTTPModel
internal import Machines
internal import Messages
package import Persistence
package import Sessions
internal import Usage

extension StoreAccess {
    /// Throws 404 if the session does not exist.
    func sessionWithEvidence(id: String, now: Timestamp) async throws(APIError) -> Session {
        let session = try await use { store throws(PersistenceError) in
            try await store.sessionWithEvidence(id: id, now: now)
        }
        guard let session else { throw .sessionNotFound }
        return session
    }
}

extension PostgresStore {
    /// Returns sessions together with what features other than the log know about them.
    package func sessionsWithEvidence(_ query: SessionQuery) async throws(PersistenceError) -> SessionPage {
        var page = try await sessionsWithUsage(query)
        page.sessions = try await withEvidence(page.sessions, now: query.now)
        return page
    }

    package func sessionWithEvidence(id: String, now: Timestamp) async throws(PersistenceError) -> Session? {
        guard let session = try await sessionWithUsage(id: id) else { return nil }
        return try await withEvidence([session], now: now).first
    }

    private func withEvidence(_ sessions: [Session], now: Timestamp) async throws(PersistenceError) -> [Session] {
        try await withPosters(try await withCompleteness(try await withHeartbeats(sessions, now: now)))
    }
}

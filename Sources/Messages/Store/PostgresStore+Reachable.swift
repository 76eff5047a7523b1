internal import EventModel
package import Persistence
package import Sessions

extension PostgresStore {
    /// Returns the sessions, each with whether messages can be sent to it.
    package func withPosters(_ sessions: [Session]) async throws(PersistenceError) -> [Session] {
        let live = sessions.filter { $0.endedAt == nil }
        let posters = live.isEmpty ? [:] : try await posters(of: live)
        return sessions.map { session in
            var session = session
            if session.endedAt != nil {
                session.acceptsMessages = false
            } else {
                session.acceptsMessages = posters[session.id] ?? (session.runner == .agent ? true : nil)
            }
            return session
        }
    }

    /// Whether each session takes messages, according to its own machine.
    private func posters(of sessions: [Session]) async throws(PersistenceError) -> [String: Bool] {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: sessions.map(\.id), sessions.map(\.machine.rawValue))
            var posters: [String: Bool] = [:]
            for row in try connection.query(MessageStatements.posters, parameters).rows {
                posters[try row.value()] = try row.value(1)
            }
            return posters
        }
    }
}

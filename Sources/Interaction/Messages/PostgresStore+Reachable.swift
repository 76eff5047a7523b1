internal import EventModel
package import Persistence
package import Sessions

extension PostgresStore {
    /// Returns the sessions, each with whether messages can be sent to it.
    package func withPosters(_ sessions: [Session]) async throws(PersistenceError) -> [Session] {
        let live = sessions.filter { $0.endedAt == nil }.map(\.id)
        let posters = live.isEmpty ? [:] : try await posters(of: live)
        return sessions.map { session in
            var session = session
            if session.endedAt != nil {
                session.acceptsMessages = false
            } else if let poster = posters[session.id], poster.machine == session.machine {
                session.acceptsMessages = poster.hasSocket
            }
            return session
        }
    }

    private func posters(
        of sessions: [String]
    ) async throws(PersistenceError) -> [String: (machine: MachineID, hasSocket: Bool)] {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: sessions)
            var posters: [String: (machine: MachineID, hasSocket: Bool)] = [:]
            for row in try connection.query(MessageStatements.posters, parameters).rows {
                posters[try row.value()] = (try row.value(1), try row.value(2))
            }
            return posters
        }
    }
}

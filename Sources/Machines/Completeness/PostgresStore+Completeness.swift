package import EventModel
package import Persistence
package import Sessions

extension PostgresStore {
    /// Returns the sessions with the counts of their missing and recovered events, if known.
    package func withCompleteness(_ sessions: [Session]) async throws(PersistenceError) -> [Session] {
        guard !sessions.isEmpty else { return sessions }
        let found = try await runProjected(by: CompletenessProjection.identity) { connection throws(PersistenceError) in
            let parameters = Parameters(of: sessions.map(\.id))
            var found: [String: Completeness] = [:]
            for row in try connection.query(CompletenessStatements.sessions, parameters).rows {
                found[try row.value()] = try row.make(from: 1, Completeness.init(recovered:missing:))
            }
            return found
        }
        return sessions.map { session in
            var session = session
            session.completeness = found[session.id] ?? .unknown
            return session
        }
    }

    /// Returns the machines with the counts of their missing and recovered events, if known. Excludes missing events
    /// that are counted for a session.
    package func withCompleteness(_ machines: [MachineRecord]) async throws(PersistenceError) -> [MachineRecord] {
        let found = try await runProjected(by: CompletenessProjection.identity) { connection throws(PersistenceError) in
            var found: [MachineID: Completeness] = [:]
            for row in try connection.query(CompletenessStatements.machines).rows {
                found[try row.value()] = try row.make(from: 1, Completeness.init(recovered:missing:))
            }
            return found
        }
        return machines.map { machine in
            var machine = machine
            machine.completeness = found[machine.id] ?? .unknown
            return machine
        }
    }
}

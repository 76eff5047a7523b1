package import EventModel
package import Persistence
package import Sessions

extension PostgresStore {
    /// Sessions with what is known of events that are missing.
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

    /// Machines with the events that are missing and belong to no session that is known to lack them.
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

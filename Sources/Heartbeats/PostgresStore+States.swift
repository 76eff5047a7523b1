package import EventModel
package import Persistence
package import Sessions

extension PostgresStore {
    /// Marks the sessions whose machine has fallen silent.
    package func withHeartbeats(
        _ sessions: [Session],
        now: Timestamp
    ) async throws(PersistenceError) -> [Session] {
        let open = Set(sessions.lazy.filter { $0.endedAt == nil }.map(\.machine))
        let beats = try await heartbeats(of: open)
        guard !beats.isEmpty else { return sessions }
        return sessions.map { session in
            var session = session
            let suffix = "@\(session.machine.rawValue)"
            let name = session.id.hasSuffix(suffix) ? String(session.id.dropLast(suffix.count)) : session.id
            if beats[session.machine]?.isSilent(about: name, now: now) ?? false { session.machineIsAway() }
            return session
        }
    }
}

package import EventModel
package import Persistence
package import Sessions

extension Session {
    /// Whether the main agent was working or waiting at this time, as far as is known.
    func isInTurn(at time: Timestamp) -> Bool {
        guard endedAt == nil, stateSince <= time else { return false }
        switch state {
        case .running: return background == nil
        case .waiting: return prompts.contains { $0.isWaitedFor && $0.agentID == nil && $0.openedAt <= time }
        case .idle, .error, .unknown: return false
        }
    }
}

extension PostgresStore {
    /// Marks the sessions whose machine no longer sends heartbeats.
    package func withHeartbeats(
        _ sessions: [Session],
        now: Timestamp
    ) async throws(PersistenceError) -> [Session] {
        let open = Set(sessions.lazy.filter { $0.endedAt == nil }.map(\.machine))
        let beats = try await heartbeats(of: open)
        guard !beats.isEmpty else { return sessions }
        return sessions.map { session in
            var session = session
            let claudeID = SessionOwnership.claudeID(session.id, on: session.machine)
            if let beat = beats[session.machine], beat.isSilent(about: claudeID, now: now) {
                session.machineIsAway(since: beat.at)
            }
            return session
        }
    }

    /// The machine's sessions, by Claude Code's own ids.
    func sessions(
        named names: [String],
        of machine: MachineID
    ) async throws(PersistenceError) -> [String: Session] {
        guard !names.isEmpty else { return [:] }
        return try await runProjected { connection throws(PersistenceError) in
            let ids = try OwnSessionIDs.find(names, of: machine, on: connection)
            var stored: [String: Session] = [:]
            let parameters = Parameters(of: machine, Array(ids.values))
            for row in try connection.query(StateStatements.ofMachine, parameters).rows {
                let (id, fold): (String, [UInt8]) = try row.values()
                stored[id] = SessionState(id: id, stored: fold)?.session
            }
            return ids.compactMapValues { stored[$0] }
        }
    }
}

private enum StateStatements {
    static let ofMachine = Statement(
        "sessions_of_machine",
        [.int8, .textArray],
        "SELECT id, fold FROM sessions WHERE machine_id = $1 AND id = ANY ($2)"
    )
}

internal import EventModel
internal import Persistence

extension PostgresStore {
    /// Records the first agent of a machine, and what each connection of it reports.
    ///
    /// - Returns: false if the machine's agent is another one.
    func admitAgent(
        _ identityDigest: String,
        _ greeting: AgentGreeting,
        of machine: MachineID,
        at now: Timestamp
    ) async throws(PersistenceError) -> Bool {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: machine,
                identityDigest,
                greeting.agentVersion,
                greeting.platform,
                now
            )
            return try connection.query(AgentStatements.admit, parameters).rowCount > 0
        }
    }

    /// The agents that have ever connected, as if none were connected now.
    func agents() async throws(PersistenceError) -> [MachineID: MachineAgent] {
        try await run { connection throws(PersistenceError) in
            var agents: [MachineID: MachineAgent] = [:]
            for row in try connection.query(AgentStatements.all).rows {
                let (machine, version, platform, at): (MachineID, String, String, Timestamp) = try row.values()
                agents[machine] = MachineAgent(.offline, version: version, platform: platform, since: at)
            }
            return agents
        }
    }

    /// Notes that sessions are opened for this process of the machine's agent.
    ///
    /// - Returns: false if that was noted before.
    func beginOpening(for instance: String, on machine: MachineID) async throws(PersistenceError) -> Bool {
        try await run { connection throws(PersistenceError) in
            try connection.query(AgentStatements.beginOpening, Parameters(of: machine, instance)).rowCount > 0
        }
    }

    /// - Returns: false if the machine has no agent.
    func forgetAgent(of machine: MachineID) async throws(PersistenceError) -> Bool {
        try await run { connection throws(PersistenceError) in
            try connection.query(AgentStatements.forget, Parameters(of: machine)).rowCount > 0
        }
    }
}

private enum AgentStatements {
    static let admit = Statement(
        "admit_agent",
        [.int8, .text, .text, .text, .timestamptz],
        """
        INSERT INTO machine_agents (machine_id, identity_digest, version, platform, connected_at)
        VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (machine_id) DO UPDATE SET (version, platform, connected_at)
            = (excluded.version, excluded.platform, excluded.connected_at)
        WHERE machine_agents.identity_digest = excluded.identity_digest
        RETURNING machine_id
        """
    )

    static let all = Statement(
        "agents",
        [],
        "SELECT machine_id, version, platform, connected_at FROM machine_agents"
    )

    static let beginOpening = Statement(
        "begin_opening",
        [.int8, .text],
        """
        UPDATE machine_agents SET opened_for = $2
        WHERE machine_id = $1 AND opened_for IS DISTINCT FROM $2 RETURNING machine_id
        """
    )

    static let forget = Statement(
        "forget_agent",
        [.int8],
        "DELETE FROM machine_agents WHERE machine_id = $1 RETURNING machine_id"
    )
}

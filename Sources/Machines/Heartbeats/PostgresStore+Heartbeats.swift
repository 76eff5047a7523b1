package import EventModel
internal import JSON
package import Persistence

extension PostgresStore {
    /// Returns the heartbeats of those machines that have ever sent one.
    package func heartbeats(of machines: Set<MachineID>) async throws(PersistenceError) -> [MachineID: Heartbeat] {
        guard !machines.isEmpty else { return [:] }
        return try await run { connection throws(PersistenceError) in
            var found: [MachineID: Heartbeat] = [:]
            var lists: [MachineID: [String]] = [:]
            for row in try connection.query(HeartbeatStatements.read, Parameters(of: machines)).rows {
                let (machine, at, session): (MachineID, Timestamp, String?) = try row.values()
                found[machine] = Heartbeat(at: at, sessions: [])
                if let session { lists[machine, default: []].append(session) }
            }
            for (machine, sessions) in lists { found[machine]?.sessions = sessions }
            return found
        }
    }

    func heartbeat(of machine: MachineID) async throws(PersistenceError) -> Heartbeat? {
        try await heartbeats(of: [machine])[machine]
    }

    func keepHeartbeat(_ beat: Heartbeat, of machine: MachineID) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: machine, beat.at, beat.sessions)
            _ = try connection.query(HeartbeatStatements.keep, parameters)
            guard let approvals = beat.approvals else { return }
            let report = String(decoding: MachineApprovals.shape.json(approvals), as: UTF8.self)
            _ = try connection.query(HeartbeatStatements.keepApprovals, Parameters(of: machine, beat.at, report))
        }
    }

    /// - Returns: `nil` if the machine has not reported its approvals file, or if this version cannot read the report.
    func approvals(of machine: MachineID) async throws(PersistenceError) -> ReportedApprovals? {
        try await run { connection throws(PersistenceError) in
            guard let row = try connection.query(HeartbeatStatements.approvals, Parameters(of: machine)).firstRow else {
                return nil
            }
            let (at, report): (Timestamp, String) = try row.values()
            let file = (try? JSONValue.parse(Array(report.utf8))).flatMap(MachineApprovals.init)
            return file.map { ReportedApprovals(at: at, file: $0) }
        }
    }
}

private enum HeartbeatStatements {
    static let read = Statement(
        "heartbeats",
        [.int8Array],
        """
        SELECT h.machine_id, h.at, s.id FROM machine_heartbeats h LEFT JOIN unnest(h.sessions) AS s (id) ON true
        WHERE h.machine_id = ANY ($1)
        """
    )

    static let keep = Statement(
        "keep_heartbeat",
        [.int8, .timestamptz, .textArray],
        """
        INSERT INTO machine_heartbeats (machine_id, at, sessions) VALUES ($1, $2, $3)
        ON CONFLICT (machine_id) DO UPDATE SET (at, sessions) = (excluded.at, excluded.sessions)
        WHERE excluded.at >= machine_heartbeats.at
        """
    )

    static let keepApprovals = Statement(
        "keep_approvals",
        [.int8, .timestamptz, .text],
        """
        INSERT INTO machine_approvals (machine_id, at, report) VALUES ($1, $2, $3)
        ON CONFLICT (machine_id) DO UPDATE SET (at, report) = (excluded.at, excluded.report)
        WHERE excluded.at >= machine_approvals.at
        """
    )

    static let approvals = Statement(
        "approvals",
        [.int8],
        "SELECT at, report FROM machine_approvals WHERE machine_id = $1"
    )
}

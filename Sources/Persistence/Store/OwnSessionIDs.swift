package import EventModel

/// The ids that the log has for a machine's sessions, by Claude Code's own ids.
package enum OwnSessionIDs {
    /// Returns for each of Claude Code's ids the id of the machine's session, also if the session has no event yet.
    package static func find(
        _ names: [String],
        of machine: MachineID,
        on connection: PQConnection
    ) throws(PersistenceError) -> [String: String] {
        guard !names.isEmpty else { return [:] }
        var ids: [String: String] = [:]
        for row in try connection.query(statement, Parameters(of: names, machine)).rows {
            let (name, id): (String, String) = try row.values()
            ids[name] = id
        }
        return ids
    }

    /// Follows `SessionOwnership.separateID` from the id that another machine has taken to one that none has.
    private static let statement = Statement(
        "own_session_ids",
        [.textArray, .int8],
        """
        WITH RECURSIVE ids (name, id) AS (
            SELECT n, n FROM unnest($1) n
            UNION
            SELECT i.name, i.id || '@' || $2 FROM ids i JOIN session_owners o ON o.session_id = i.id
            WHERE o.machine_id <> $2
        )
        SELECT DISTINCT ON (name) name, id FROM ids ORDER BY name, length(id) DESC
        """
    )
}

extension PostgresStore {
    /// - Parameter name: Claude Code's own session id.
    package func ownSessionID(of name: String, on machine: MachineID) async throws(PersistenceError) -> String {
        try await run { connection throws(PersistenceError) in
            try OwnSessionIDs.find([name], of: machine, on: connection)[name] ?? name
        }
    }
}

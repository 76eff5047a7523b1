internal import EventModel
internal import Persistence

/// A session that a transcript names as the one that made a request.
struct RequestOrigin: Hashable {
    /// As Claude Code names it.
    var sessionID: String
    /// The machine that sent the transcript.
    var machine: MachineID
}

/// What the database knows of the sessions that transcripts name as origins.
///
/// A machine's transcripts must not change the sessions of another machine. An origin that another machine began
/// stands for the session that the sender has under that id.
struct OriginSessions {
    private var owners: [RequestOrigin: MachineID] = [:]
    private var erased: Set<RequestOrigin> = []

    init(of origins: Set<RequestOrigin>, on connection: PQConnection) throws(PersistenceError) {
        guard !origins.isEmpty else { return }
        var parameters = Parameters()
        parameters.add(array: origins.lazy.map(\.sessionID))
        parameters.add(array: origins.lazy.map(\.machine.rawValue))
        for row in try connection.query(OriginSessions.statement, parameters).rows {
            let origin = RequestOrigin(sessionID: try row.text(0), machine: MachineID(rawValue: try row.int64(1)))
            owners[origin] = try row.optionalInt64(2).map(MachineID.init(rawValue:))
            if try row.bool(3) { erased.insert(origin) }
        }
    }

    /// The id that the session has in the log.
    func sessionID(of origin: RequestOrigin) -> String {
        guard let owner = owners[origin], owner != origin.machine else { return origin.sessionID }
        return SessionOwnership.separateID(origin.sessionID, on: origin.machine)
    }

    func isErased(_ origin: RequestOrigin) -> Bool { erased.contains(origin) }

    private static let statement = Statement(
        "origin_sessions",
        [.textArray, .int8Array],
        """
        SELECT o.session_id, o.machine_id, w.machine_id, EXISTS (SELECT FROM usage_erased e
            WHERE (e.machine_id, e.session) = (o.machine_id, sha256(convert_to(o.session_id, 'UTF8'))))
        FROM unnest($1, $2) AS o (session_id, machine_id) LEFT JOIN session_owners w USING (session_id)
        """
    )
}

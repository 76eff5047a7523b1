internal import EventModel
internal import Persistence

/// A session that a transcript names as the origin of a request.
struct RequestOrigin: Hashable {
    /// Claude Code's own session id.
    var sessionID: String
    /// The machine that sent the transcript.
    var machine: MachineID
}

/// The database's records of the sessions that transcripts name as origins.
///
/// A machine's transcripts must not change the sessions of another machine. If another machine began an origin, the
/// session that the sender has under that id is used instead.
struct OriginSessions {
    private var owners: [RequestOrigin: MachineID] = [:]
    private var erased: Set<RequestOrigin> = []

    init(of origins: Set<RequestOrigin>, on connection: PQConnection) throws(PersistenceError) {
        guard !origins.isEmpty else { return }
        let parameters = Parameters(of: OriginSessions.columns.arrays(Array(origins)))
        for row in try connection.query(OriginSessions.statement, parameters).rows {
            let origin = try row.make(RequestOrigin.init(sessionID:machine:))
            let (owner, isErased): (MachineID?, Bool) = try row.values(from: 2)
            owners[origin] = owner
            if isErased { erased.insert(origin) }
        }
    }

    /// The id that the session has in the log.
    func sessionID(of origin: RequestOrigin) -> String {
        guard let owner = owners[origin], owner != origin.machine else { return origin.sessionID }
        return SessionOwnership.separateID(origin.sessionID, on: origin.machine)
    }

    func isErased(_ origin: RequestOrigin) -> Bool { erased.contains(origin) }

    private static let columns = RowColumns<RequestOrigin>()
        .column("session_id", \.sessionID).column("machine_id", \.machine)

    private static let statement = Statement(
        "origin_sessions",
        columns.types,
        """
        SELECT o.session_id, o.machine_id, w.machine_id, EXISTS (SELECT FROM usage_erased e
            WHERE (e.machine_id, e.session) = (o.machine_id, sha256(convert_to(o.session_id, 'UTF8'))))
        FROM \(columns.unnest("o")) LEFT JOIN session_owners w USING (session_id)
        """
    )
}
